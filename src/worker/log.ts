export type LogFields = Record<string, string | number | boolean | null | undefined>
export type Log = (event: string, fields?: LogFields) => void

/** Ids, slugs, digests and paths look like this; text that a stranger wrote does not pass. */
const PLAIN = /^[A-Za-z0-9_.:/*@<>$ -]{0,240}$/

const plain = (value: LogFields[string]) =>
  typeof value === 'string' && !PLAIN.test(value) ? '[withheld]' : value

/** One JSON line an event. Values that are not plainly ids or slugs are withheld, whoever passes them. */
export function createLog(write: (line: string) => void, now: () => number): Log {
  return (event, fields = {}) => {
    const kept = Object.entries(fields).map(([name, value]) => [name, plain(value)])
    write(JSON.stringify({ at: new Date(now()).toISOString(), event, ...Object.fromEntries(kept) }))
  }
}

const FRAME = /^\s+at (?:async )?([\w$.<>]+) \(/

/**
 * What may be logged of an exception: its class and the functions it came through. Its message can
 * quote SQL parameters or a body.
 */
export function describeError(error: unknown): { error: string; through: string } {
  if (!(error instanceof Error)) return { error: typeof error, through: '' }
  const frames = (error.stack ?? '').split('\n').flatMap((line) => FRAME.exec(line)?.[1] ?? [])
  return { error: error.name, through: frames.slice(0, 6).join('/') }
}
