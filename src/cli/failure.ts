import { EXIT, type Exit } from './exit.ts'

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

const MAKE_ROOM = 'make room, then repeat the command; what is written stays valid'
const GIVE_FOLDER = 'give --workspace FOLDER (and --home FOLDER) that can be written'

/** What the machine refuses wherever a file is written, by its error code. */
const MACHINE: Record<string, { exit: Exit; what: string; next: string }> = {
  ENOSPC: { exit: EXIT.partial, what: 'the disk is full', next: MAKE_ROOM },
  EDQUOT: { exit: EXIT.partial, what: 'your share of the disk is used up', next: MAKE_ROOM },
  EROFS: { exit: EXIT.usage, what: 'this file system is read-only', next: GIVE_FOLDER },
  EACCES: { exit: EXIT.usage, what: 'a file may not be read or written', next: GIVE_FOLDER },
  EPERM: { exit: EXIT.usage, what: 'a file may not be changed', next: GIVE_FOLDER },
  EIO: {
    exit: EXIT.partial,
    what: 'the disk does not work',
    next: 'save the workspace elsewhere, then repeat the command there with --workspace',
  },
  EISDIR: {
    exit: EXIT.partial,
    what: 'a folder lies where a file belongs',
    next: 'move it away, then repeat the command',
  },
  EFBIG: {
    exit: EXIT.partial,
    what: 'a file is larger than the system allows',
    next: 'raise the limit (ulimit -f), or give --workspace FOLDER on another file system',
  },
  EMFILE: {
    exit: EXIT.usage,
    what: 'too many files are open',
    next: 'raise the limit (ulimit -n), or lower --max-connections',
  },
}

/** A fault of the machine and not of the client, in words; null for everything else. */
export function machineFailure(thrown: unknown): Failure | null {
  const known = MACHINE[codeOf(thrown) ?? '']
  if (known === undefined) return null
  const { exit, what, next } = known
  return new Failure(exit, what, { why: messageOf(thrown), next, cause: thrown })
}

/** The fault of a file of ours in words, of whatever kind: it is never the network's. */
export function fileFailure(thrown: unknown, file: string): Failure {
  return (
    machineFailure(thrown) ??
    new Failure(EXIT.partial, `cannot read or write ${file}`, {
      why: messageOf(thrown),
      next: 'look at what lies there, or give --workspace FOLDER, then repeat the command',
      cause: thrown,
    })
  )
}
