import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  rmSync,
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
  /** Lines that are not written yet, as bytes, and how many bytes they are. */
  #bytes: Buffer = Buffer.allocUnsafe(BUFFER_BYTES)
  #waiting = 0
  /** Settles when the lines that wait for the end of this turn of the event loop are written. */
  #together: Settling | null = null
  #isDirty = false
  #isFlushing = false
  #syncing: Promise<void> | null = null
  /** Bytes of refused lines may lie behind the end: a shorter line would be run into by them. */
  #hasRemains = false
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
    setAside(notes.tornTail, tail)
    ftruncateSync(this.#descriptor, offset)
    fsyncSync(this.#descriptor)
    this.#end = offset
  }

  /** The record at a position that `scan` or `append` gave. */
  read(position: Position): unknown {
    return JSON.parse(this.#reader.read(position))
  }

  append(record: unknown): Position {
    this.#writeTogether()
    const position = this.#encode(record)
    this.#writeWaiting()
    return position
  }

  /**
   * As `append`, with one write for all lines of a turn of the event loop: answers that come
   * together cost one call of the kernel. Resolves when the line is there.
   */
  appendTogether(record: unknown): Promise<Position> {
    if (this.#together === null) {
      this.#together = withResolvers()
      setImmediate(() => this.#writeTogether())
    }
    const position = this.#encode(record)
    return this.#together.promise.then(() => position)
  }

  #writeTogether(): void {
    const together = this.#together
    if (together === null) return
    this.#together = null
    try {
      this.#writeWaiting()
      together.resolve()
    } catch (error) {
      together.reject(error)
    }
  }

  /** Puts a line behind those that wait; answers where it will be. */
  #encode(record: unknown): Position {
    const line = toLine(record)
    const from = this.#waiting
    const most = from + line.length * MOST_BYTES
    if (this.#bytes.length < most) this.#bytes = Buffer.concat([this.#bytes], most * 2)
    const length = this.#bytes.write(line, from, 'utf8')
    this.#waiting = from + length
    return { offset: this.#end + from, length: length - 1 }
  }

  #writeWaiting(): void {
    const length = this.#waiting
    if (length === 0) return
    this.#waiting = 0
    this.#write(this.#bytes.subarray(0, length))
    this.#isDirty = true
    this.#syncing ??= this.#syncAll()
  }

  /** Writes all bytes or none: a full disk leaves the log as it was. */
  #write(bytes: Buffer): void {
    if (this.#fault !== null) throw this.#fault
    if (this.#hasRemains) this.#cutBack()
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
      this.#hasRemains = true
      this.#tryCutBack()
      throw error
    }
    this.#end += bytes.length
  }

  #cutBack(): void {
    ftruncateSync(this.#descriptor, this.#end)
    this.#hasRemains = false
  }

  #tryCutBack(): void {
    try {
      this.#cutBack()
    } catch {
      // The write's own error says more, and nothing is written until the cut holds.
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
      if (this.#hasRemains) this.#tryCutBack()
      closeSync(this.#descriptor)
    }
  }
}

type Settling = { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void }

/** `Promise.withResolvers`, which Node 20 does not have. */
function withResolvers(): Settling {
  let resolve = () => {}
  let reject: Settling['reject'] = () => {}
  const promise = new Promise<void>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A copy that is cut off would stand for the tail, which stays where it is until there is room. */
function setAside(side: string, tail: Buffer): void {
  try {
    writeFileSync(side, tail)
  } catch (error) {
    rmSync(side, { force: true })
    throw error
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
