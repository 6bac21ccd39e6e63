import { readSync } from 'node:fs'

const LF = 0x0a
const READ_BYTES = 1 << 18

/** A stretch of a file. */
export type Position = { offset: number; length: number }

/**
 * Reads the lines of a file one after another through one buffer, whatever the file's size.
 *
 * A last line without its LF is not visited but answered, with where it begins. The bytes that a
 * visitor gets are its own until it returns.
 *
 * @param pass - gets every byte of the file in order, for who wants more of it than its lines
 */
export function scanLines(
  descriptor: number,
  visit: (line: string, position: Position, bytes: Buffer) => void,
  pass: (bytes: Buffer) => void = () => {},
): { tail: Buffer; offset: number } {
  let buffer = Buffer.allocUnsafe(READ_BYTES)
  /** Bytes of a line that has begun, at the front of the buffer. */
  let kept = 0
  let offset = 0
  for (;;) {
    if (kept === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    const got = readSync(descriptor, buffer, kept, buffer.length - kept, offset + kept)
    if (got === 0) return { tail: Buffer.from(buffer.subarray(0, kept)), offset }
    const end = kept + got
    pass(buffer.subarray(kept, end))
    let from = 0
    for (let to = buffer.indexOf(LF, kept); to !== -1 && to < end; to = buffer.indexOf(LF, from)) {
      const bytes = buffer.subarray(from, to)
      visit(bytes.toString(), { offset: offset + from, length: to - from }, bytes)
      from = to + 1
    }
    buffer.copyWithin(0, from, end)
    kept = end - from
    offset += from
  }
}

/** Reads stretches of one file through a buffer that is used again. */
export class TextReader {
  readonly #descriptor: number
  #buffer: Buffer = Buffer.allocUnsafe(READ_BYTES)

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  /** @throws Error when the file is shorter than that. */
  read(position: Position): string {
    return this.bytes(position).toString()
  }

  /** The bytes themselves, until the next call. */
  bytes({ offset, length }: Position): Buffer {
    if (this.#buffer.length < length) this.#buffer = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length; ) {
      const got = readSync(this.#descriptor, this.#buffer, filled, length - filled, offset + filled)
      if (got === 0) throw new Error('the file is shorter than it was')
      filled += got
    }
    return this.#buffer.subarray(0, length)
  }
}
