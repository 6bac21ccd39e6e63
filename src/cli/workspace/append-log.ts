import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { type Position, scanLines, TextReader } from './line-scan.ts'

/** Lines that come within this time share one sync. */
const COMMIT_MS = 20

/** A buffer that holds what most turns of the event loop bring. */
const BUFFER_BYTES = 1 << 16
/** Bytes of UTF-8 for a unit of UTF-16. */
const MOST_BYTES = 3

/** What a scan met: lines that are no record, and a tail that was set aside. */
export type ScanNotes = { damagedLines: number; tornTail: string | null }

/** A line that is written at the end of this turn of the event loop. */
type Waiting = {
  line: string
  resolve: (position: Position) => void
  reject: (error: unknown) => void
}

/** Characters that some reader takes for the end of a line, beside LF. */
const LINE_ENDERS = /[\u007f-\u009f\u2028\u2029]/g

/** One record as one line: JSON without any character that could split it. */
export function toLine(record: unknown): string {
  const json = JSON.stringify(record).replace(
    LINE_ENDERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `${json}\n`
}

/**
 * A file of JSON lines that only grows.
 *
 * A line reaches the kernel before its append is over, so that kill -9 loses nothing; it reaches the
 * disk by the next group commit, so that a power cut loses at most the last moments.
 */
export class AppendLog {
  readonly file: string
  readonly #descriptor: number
  readonly #reader: TextReader
  #end: number
  /** Where lines become bytes. */
  #bytes: Buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #together: Waiting[] = []
  #isDirty = false
  #isFlushing = false
  #syncing: Promise<void> | null = null
  /** Why lines did not reach the disk: what comes after them must not look safe. */
  #fault: Error | null = null

  constructor(file: string) {
    this.file = file
    const isNew = !existsSync(file)
    this.#descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o644)
    this.#reader = new TextReader(this.#descriptor)
    this.#end = fstatSync(this.#descriptor).size
    if (isNew) syncFolder(path.dirname(file))
  }

  /**
   * Reads every complete line in order and mends the end.
   *
   * A last line without its LF is kept when it is whole, else moved to a side file and cut off.
   */
  scan(visit: (record: unknown, position: Position) => void): ScanNotes {
    const notes: ScanNotes = { damagedLines: 0, tornTail: null }
    const { tail, offset } = scanLines(this.#descriptor, (line, position) => {
      const record = parse(line)
      if (record === undefined) notes.damagedLines += 1
      else visit(record, position)
    })
    if (tail.length > 0) this.#mendTail(tail, offset, visit, notes)
    return notes
  }

  #mendTail(
    tail: Buffer,
    offset: number,
    visit: (record: unknown, position: Position) => void,
    notes: ScanNotes,
  ): void {
    const record = parse(tail.toString('utf8'))
    if (record !== undefined) {
      this.#write(Buffer.from('\n'))
      visit(record, { offset, length: tail.length })
      return
    }
    notes.tornTail = sideFile(this.file)
    writeFileSync(notes.tornTail, tail)
    ftruncateSync(this.#descriptor, offset)
    fsyncSync(this.#descriptor)
    this.#end = offset
  }

  /** The record at a position that `scan` or `append` gave. */
  read(position: Position): unknown {
    return JSON.parse(this.#reader.read(position))
  }

  append(record: unknown): Position {
    const offset = this.#end
    const length = this.#encode(toLine(record), 0)
    this.#writeEncoded(length)
    return { offset, length: length - 1 }
  }

  /**
   * As `append`, with one write for all lines of a turn of the event loop: answers that come
   * together cost one call of the kernel. Resolves when the line is there.
   */
  appendTogether(record: unknown): Promise<Position> {
    return new Promise((resolve, reject) => {
      if (this.#together.length === 0) setImmediate(() => this.#writeTogether())
      this.#together.push({ line: toLine(record), resolve, reject })
    })
  }

  #writeTogether(): void {
    const waiting = this.#together
    this.#together = []
    let length = 0
    const settle = waiting.map(({ line, resolve }) => {
      const from = length
      length = this.#encode(line, from)
      const position = { offset: this.#end + from, length: length - from - 1 }
      return () => resolve(position)
    })
    try {
      this.#writeEncoded(length)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
      return
    }
    for (const resolve of settle) resolve()
  }

  /** Puts a line into the buffer; answers where it ends there. */
  #encode(line: string, from: number): number {
    const most = from + line.length * MOST_BYTES
    if (this.#bytes.length < most) this.#bytes = Buffer.concat([this.#bytes], most * 2)
    return from + this.#bytes.write(line, from, 'utf8')
  }

  #writeEncoded(length: number): void {
    if (length === 0) return
    this.#write(this.#bytes.subarray(0, length))
    this.#isDirty = true
    this.#syncing ??= this.#syncAll()
  }

  /** Writes all bytes or none: a full disk leaves the log as it was. */
  #write(bytes: Buffer): void {
    if (this.#fault !== null) throw this.#fault
    let written = 0
    try {
      while (written < bytes.length) {
        written += writeSync(
          this.#descriptor,
          bytes,
          written,
          bytes.length - written,
          this.#end + written,
        )
      }
    } catch (error) {
      this.#cutBack()
      throw error
    }
    this.#end += bytes.length
  }

  #cutBack(): void {
    try {
      ftruncateSync(this.#descriptor, this.#end)
    } catch {
      // The write's own error says more; the next scan cuts the torn line off.
    }
  }

  /** Resolves when all that was appended is on the disk. @throws Error where the disk refuses. */
  async flush(): Promise<void> {
    this.#writeTogether()
    this.#isFlushing = true
    while (this.#syncing !== null) await this.#syncing
    this.#isFlushing = false
    if (this.#fault !== null) throw this.#fault
  }

  async #syncAll(): Promise<void> {
    try {
      while (this.#isDirty) {
        if (!this.#isFlushing) await new Promise((resolve) => setTimeout(resolve, COMMIT_MS))
        this.#isDirty = false
        await new Promise<void>((resolve, reject) => {
          fdatasync(this.#descriptor, (error) => (error === null ? resolve() : reject(error)))
        })
      }
    } catch (error) {
      this.#fault = error instanceof Error ? error : new Error(String(error))
    } finally {
      this.#syncing = null
    }
  }

  async close(): Promise<void> {
    try {
      await this.flush()
    } finally {
      closeSync(this.#descriptor)
    }
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function sideFile(file: string): string {
  for (let number = 1; ; number += 1) {
    const side = `${file}.torn-${number}`
    if (!existsSync(side)) return side
  }
}

/** Makes a new name in a folder survive a power cut; not every system can. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, constants.O_RDONLY)
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {
    return
  }
}
