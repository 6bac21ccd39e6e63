/** What the process ends with. Scripts build on these numbers, so they never change meaning. */
export const EXIT = {
  done: 0,
  /** The other side said no, a check failed, or a policy was not met. */
  refused: 1,
  usage: 2,
  modelServer: 3,
  api: 4,
  partial: 5,
  key: 6,
  budget: 7,
  interrupted: 130,
} as const

export type Exit = (typeof EXIT)[keyof typeof EXIT]

/** The same list in words, for `--help`. */
export const EXIT_HELP = `Exit codes:
  0 done                      4 API or network
  1 refused or check failed   5 partial or incomplete
  2 usage or configuration    6 key, signature or clock
  3 model server              7 budget used up
                              130 interrupted`
