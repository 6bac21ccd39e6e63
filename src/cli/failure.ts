import type { Exit } from './exit.ts'

type Explanation = { why?: string | undefined; next?: string | undefined; cause?: unknown }

/** The end of a command that the user can do something about: what happened, why, what next. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly exit: Exit
  readonly why: string | undefined
  readonly next: string | undefined

  constructor(exit: Exit, what: string, { why, next, cause }: Explanation = {}) {
    super(what, { cause })
    this.exit = exit
    this.why = why
    this.next = next
  }

  /** Two to three lines for stderr. */
  render(): string {
    const lines = [`failmap: ${this.message}`]
    if (this.why !== undefined) lines.push(`  why:  ${this.why}`)
    if (this.next !== undefined) lines.push(`  next: ${this.next}`)
    return `${lines.join('\n')}\n`
  }
}

/** The text of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** The `code` of a Node error (ENOENT, ECONNREFUSED, …), looking through `cause` and aggregates. */
export function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error)) return undefined
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return codeOf(thrown.errors[0])
  return codeOf(thrown.cause)
}
