import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { z } from 'zod'
import { canonicalJson } from '../../protocol/canonical.ts'
import { sha256Hex } from '../../protocol/digest.ts'
import { EXIT } from '../exit.ts'
import { Failure, messageOf } from '../failure.ts'
import { AppendLog, type ScanNotes } from './append-log.ts'
import {
  type Answer,
  type AnswerStatus,
  answerSchema,
  factSchema,
  type Header,
  headerSchema,
  indexSchema,
  keptReplySchema,
  laterIndexSchema,
  laterReadingSchema,
  type Reading,
  type Reply,
  reopenSchema,
  replySchema,
  type Settings,
} from './journal-lines.ts'
import type { Position } from './line-scan.ts'

/** Where a reply lies, and its reading: null while unread, in the same line if the positions agree. */
type Entry = { reply: Position; reading: Position | null; status: AnswerStatus | null }

export const JOURNAL_FILE = 'journal.jsonl'

/** Digest under which answers may be put together. */
export const settingsDigest = (settings: Settings): Promise<string> =>
  sha256Hex(canonicalJson(settings))

/** The answers of one run: an append-only file whose first line states the settings. */
export class Journal {
  readonly header: Header
  readonly notes: ScanNotes
  readonly facts = new Map<string, unknown>()
  readonly #log: AppendLog
  readonly #entries: Map<string, Entry>
  #hasKept = false

  private constructor(
    log: AppendLog,
    header: Header,
    entries: Map<string, Entry>,
    facts: ReadonlyMap<string, unknown>,
    notes: ScanNotes,
  ) {
    this.#log = log
    this.header = header
    this.#entries = entries
    for (const [fact, value] of facts) this.facts.set(fact, value)
    this.notes = notes
  }

  static create(folder: string, header: Header): Journal {
    mkdirSync(folder, { recursive: true })
    const log = new AppendLog(path.join(folder, JOURNAL_FILE))
    const notes = { damagedLines: 0, tornTail: null }
    const journal = new Journal(log, header, new Map(), new Map(), notes)
    try {
      journal.#append(header)
    } catch (error) {
      log.close().catch(() => {})
      throw error
    }
    return journal
  }

  /** Null when the file has no whole first line: such a run holds no answer. */
  static open(folder: string): Journal | null {
    const file = path.join(folder, JOURNAL_FILE)
    if (!existsSync(file)) return null
    const log = new AppendLog(file)
    const entries = new Map<string, Entry>()
    const facts = new Map<string, unknown>()
    let header: Header | null = null
    let strangers = 0
    const notes = log.scan((record, position) => {
      if (header === null) {
        header = headerSchema.safeParse(record).data ?? null
        return
      }
      if (!note(record, position, entries, facts)) strangers += 1
    })
    if (header === null) {
      void log.close()
      return null
    }
    return new Journal(log, header, entries, facts, {
      ...notes,
      damagedLines: notes.damagedLines + strangers,
    })
  }

  /** Tasks that need not be asked again. An answer that the server failed to give does not count. */
  has(instanceId: string): boolean {
    const entry = this.#entries.get(instanceId)
    return entry !== undefined && entry.status !== 'backend_error'
  }

  /** Undefined for a task without an answer and for a reply that is not read yet. */
  statusOf(instanceId: string): AnswerStatus | undefined {
    return this.#entries.get(instanceId)?.status ?? undefined
  }

  /** Replies that were kept and not read yet. */
  unread(): string[] {
    return [...this.#entries].flatMap(([id, { status }]) => (status === null ? [id] : []))
  }

  /** Whether this process kept any answer, also one that was taken back. */
  get hasKept(): boolean {
    return this.#hasKept
  }

  get size(): number {
    return this.#entries.size
  }

  instanceIds(): IterableIterator<string> {
    return this.#entries.keys()
  }

  /** Number of answers by status. */
  counts(): Partial<Record<AnswerStatus, number>> {
    const counts: Partial<Record<AnswerStatus, number>> = {}
    for (const { status } of this.#entries.values()) {
      if (status !== null) counts[status] = (counts[status] ?? 0) + 1
    }
    return counts
  }

  /** The answer with its reading; undefined where either is missing. */
  read(instanceId: string): Answer | undefined {
    const entry = this.#entries.get(instanceId)
    if (entry === undefined || entry.reading === null) return undefined
    if (entry.reading.offset === entry.reply.offset) {
      return this.#whole(answerSchema, entry.reply, instanceId)
    }
    const later = this.#whole(laterReadingSchema, entry.reading, instanceId)
    const { read: _instanceId, ...reading } = later
    return { ...this.#whole(replySchema, entry.reply, instanceId), ...reading }
  }

  readReply(instanceId: string): Reply | undefined {
    const entry = this.#entries.get(instanceId)
    if (entry === undefined) return undefined
    return this.#whole(keptReplySchema, entry.reply, instanceId)
  }

  /** Keeps an answer whose reading is known. */
  record(answer: Answer): void {
    const position = this.#append(answer)
    const entry = { reply: position, reading: position, status: answer.status }
    this.#hasKept = true
    this.#entries.set(answer.instance_id, entry)
  }

  /**
   * Keeps a reply before anything is made of it: no fault of a reader can lose it. Resolves when
   * the kernel has it, and not before: only then may its slot ask again.
   */
  recordReply(reply: Reply): Promise<void> {
    return this.#log.appendTogether(reply).then(
      (position) => {
        this.#hasKept = true
        this.#entries.set(reply.instance_id, { reply: position, reading: null, status: null })
      },
      (cause) => this.#fail(cause),
    )
  }

  recordReading(instanceId: string, reading: Reading): void {
    const entry = this.#entries.get(instanceId)
    if (entry === undefined) throw new Error(`no reply of ${instanceId} to read`)
    const position = this.#append({ read: instanceId, ...reading })
    this.#entries.set(instanceId, { ...entry, reading: position, status: reading.status })
  }

  recordFact(fact: string, value: z.infer<typeof factSchema>['value']): void {
    if (this.facts.has(fact)) return
    this.facts.set(fact, value)
    this.#append({ fact, value })
  }

  reopen(instanceIds: string[], why: string): void {
    this.#append({ reopen: instanceIds, why })
    for (const instanceId of instanceIds) this.#entries.delete(instanceId)
  }

  #append(record: unknown): Position {
    try {
      return this.#log.append(record)
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  #fail(cause: unknown): never {
    throw new Failure(EXIT.partial, `cannot write to ${this.#log.file}`, {
      why: messageOf(cause),
      next: 'make room or mend the disk, then repeat the command; what is written stays valid',
      cause,
    })
  }

  flush(): Promise<void> {
    return this.#log.flush().catch((cause) => this.#fail(cause))
  }

  close(): Promise<void> {
    return this.#log.close().catch((cause) => this.#fail(cause))
  }

  /** A line of the right form whose fields are not: no crash writes one, an editor may. */
  #whole<T>(schema: z.ZodType<T>, position: Position, instanceId: string): T {
    const parsed = schema.safeParse(this.#log.read(position))
    if (parsed.success) return parsed.data
    throw new Failure(EXIT.partial, `the journal has a damaged line for ${instanceId}`, {
      why: `${this.#log.file}, byte ${position.offset}: ${parsed.error.issues[0]?.path.join('.')} ${parsed.error.issues[0]?.message}`,
      next: 'remove that line, then repeat the command: the task is asked again',
    })
  }
}

function note(
  record: unknown,
  position: Position,
  entries: Map<string, Entry>,
  facts: Map<string, unknown>,
): boolean {
  const answer = indexSchema.safeParse(record)
  if (answer.success) {
    const { instance_id, status = null } = answer.data
    entries.set(instance_id, {
      reply: position,
      reading: status === null ? null : position,
      status,
    })
    return true
  }
  const later = laterIndexSchema.safeParse(record)
  if (later.success) {
    const entry = entries.get(later.data.read)
    if (entry === undefined) return false
    entries.set(later.data.read, { ...entry, reading: position, status: later.data.status })
    return true
  }
  const fact = factSchema.safeParse(record)
  if (fact.success) {
    facts.set(fact.data.fact, fact.data.value)
    return true
  }
  const reopened = reopenSchema.safeParse(record)
  if (!reopened.success) return false
  for (const instanceId of reopened.data.reopen) entries.delete(instanceId)
  return true
}
