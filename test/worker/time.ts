/** The moment at which the tests begin, in seconds; a Monday in November 2026. */
export const NOW = 1_795_000_000

export type Clock = { now(): number; advance(seconds: number): void }

/** A clock that stands still until it is told to move. */
export function stoppedClock(): Clock {
  let milliseconds = NOW * 1000
  return {
    now: () => milliseconds,
    advance: (seconds) => {
      milliseconds += seconds * 1000
    },
  }
}
