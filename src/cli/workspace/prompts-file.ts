import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync } from 'node:fs'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { hashOpen } from './hash-file.ts'
import { type Position, scanLines, TextReader } from './line-scan.ts'

/** What a file of prompts has to be. */
export type Stated = { epoch: string; sha256: string }

/** Answers what is wrong with a line, or null. */
type Visit = (line: string, position: Position, bytes: Buffer) => string | null

/** Hex characters that tell two digests apart for a reader. */
const SHOWN = 16

/**
 * A file of prompts, whose every byte is what it is taken for.
 *
 * It stays on the disk for months, where an editor, a full disk or a sync tool can reach it: answers
 * to other prompts would be signed as answers to the epoch's.
 */
export class PromptsFile {
  readonly #file: string
  /** Null: any file of the right form will do. */
  readonly #stated: Stated | null
  readonly #descriptor: number
  readonly #reader: TextReader
  #stamp: string
  #sha256 = ''

  constructor(file: string, stated: Stated | null) {
    this.#file = file
    this.#stated = stated
    this.#descriptor = openSync(file, 'r')
    this.#reader = new TextReader(this.#descriptor)
    this.#stamp = this.#readStamp()
  }

  /** Visits every line. @throws Failure when the file is not what is stated, or a line is odd. */
  scan(visit: Visit): void {
    const hash = createHash('sha256')
    let fault: string | null = null
    let count = 0
    const visitLine = (line: string, position: Position, bytes: Buffer) => {
      count += 1
      if (fault !== null) return
      const found = formFault(bytes, position.offset) ?? visit(line, position, bytes)
      if (found !== null) fault = `line ${count} ${found}`
    }
    const { tail } = scanLines(this.#descriptor, visitLine, (bytes) => hash.update(bytes))
    this.#sha256 = hash.digest('hex')
    if (tail.length > 0) fault ??= `line ${count + 1} has no end: the file is cut off`
    if (count === 0) fault ??= 'it is empty'
    this.#requireStated(fault)
  }

  #requireStated(fault: string | null): void {
    const stated = this.#stated
    if (stated !== null && stated.sha256 !== this.#sha256) {
      const digests = `${this.#sha256.slice(0, SHOWN)}… instead of ${stated.sha256.slice(0, SHOWN)}…`
      throw new Failure(EXIT.usage, `${this.#file} is not what was pulled`, {
        why: `${fault ?? 'it was altered or cut off'} (SHA-256 ${digests})`,
        next: `${this.#pull}   (fetches it again; answers are kept)`,
      })
    }
    if (fault === null) return
    throw new Failure(EXIT.usage, `${this.#file} is not the prompts of this client's version`, {
      why: fault,
      next: `update the client, then: ${this.#pull}`,
    })
  }

  /** Bytes that `scan` has seen, until the next call. @throws Failure when the file has changed. */
  bytes(position: Position): Buffer {
    try {
      return this.#reader.bytes(position)
    } finally {
      // Behind the reading: a change before it is seen, and one after it does no harm.
      this.#requireSame()
    }
  }

  #requireSame(): void {
    const stamp = this.#readStamp()
    if (stamp === this.#stamp) return
    // A new name, new rights or a touch leave the bytes as they are.
    if (hashOpen(this.#descriptor).sha256 !== this.#sha256) {
      throw new Failure(EXIT.partial, `${this.#file} was changed while it was in use`, {
        why: 'what it holds now is not what was asked before',
        next: `${this.#pull}, then repeat the command: what was answered is kept`,
      })
    }
    this.#stamp = stamp
  }

  /** No program can set the time of a change, as it can the one of a modification. */
  #readStamp(): string {
    const { size, ctimeMs } = fstatSync(this.#descriptor)
    return `${size} ${ctimeMs}`
  }

  get #pull(): string {
    return this.#stated === null ? 'failmap pull' : `failmap pull --epoch ${this.#stated.epoch}`
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

/** What some tools make of a text file, in words of its own. */
function formFault(bytes: Buffer, offset: number): string | null {
  if (offset === 0) {
    const mark = bytes.toString('hex', 0, 3)
    if (mark === 'efbbbf') return 'begins with a byte-order mark'
    if (mark.startsWith('fffe') || mark.startsWith('feff')) return 'is UTF-16, not UTF-8'
  }
  return bytes.length === 0 ? 'is empty' : null
}
