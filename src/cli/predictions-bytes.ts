import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { EXIT } from './exit.ts'
import { codeOf, Failure, messageOf } from './failure.ts'
import { decodeText, refuseUtf16 } from './text-file.ts'

const READ_BYTES = 1 << 16
const MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** UTF-8 text that is read piece by piece: a predictions file is as large as a whole epoch. */
export type ByteSource = {
  /** Names the text in messages. */
  name: string
  /** Where the text begins, after a byte-order mark. */
  start: number
  size: number
  /** Pieces in order from `offset`; each is valid until the next is taken. */
  pieces(offset: number): Generator<Buffer>
  /** @throws Failure (usage) where the bytes are not UTF-8. */
  text(offset: number, length: number): string
  sha256(): string
  close(): void
}

type ReadAt = (into: Buffer, offset: number) => number

/** A file as text. @throws Failure (usage) when it cannot be read or is UTF-16. */
export function openSource(file: string, name: string): ByteSource {
  const descriptor = open(file)
  const stat = fstatSync(descriptor)
  // What comes through a pipe, as of <(command), cannot be read twice.
  if (!stat.isFile()) return sourceOf(readAll(descriptor), name)
  const { size } = stat
  const readAt: ReadAt = (into, offset) => readSync(descriptor, into, 0, into.length, offset)
  return toSource(name, size, readAt, () => closeSync(descriptor))
}

function readAll(descriptor: number): Buffer {
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Text that is in memory already. */
export function sourceOf(bytes: Uint8Array, name: string): ByteSource {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return toSource(
    name,
    all.length,
    (into, offset) => all.copy(into, 0, offset),
    () => {},
  )
}

function toSource(name: string, size: number, readAt: ReadAt, close: () => void): ByteSource {
  function* pieces(offset: number): Generator<Buffer> {
    const piece = Buffer.allocUnsafe(READ_BYTES)
    for (let at = offset; at < size; ) {
      const got = readAt(piece, at)
      if (got === 0) return
      at += got
      yield piece.subarray(0, got)
    }
  }
  const text = (offset: number, length: number): string => {
    const bytes = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length; ) {
      const got = readAt(bytes.subarray(filled), offset + filled)
      if (got === 0) throw new Failure(EXIT.usage, `${name} is shorter than it was`)
      filled += got
    }
    return decodeText(bytes, name)
  }
  const sha256 = () => {
    const hash = createHash('sha256')
    for (const part of pieces(0)) hash.update(part)
    return hash.digest('hex')
  }
  const first = Buffer.alloc(MARK.length)
  readAt(first, 0)
  try {
    refuseUtf16(first, name)
  } catch (error) {
    close()
    throw error
  }
  return { name, start: first.equals(MARK) ? MARK.length : 0, size, pieces, text, sha256, close }
}

function open(file: string): number {
  try {
    return openSync(file, 'r')
  } catch (cause) {
    const why = codeOf(cause) === 'ENOENT' ? 'there is no such file' : messageOf(cause)
    throw new Failure(EXIT.usage, `cannot read ${file}`, { why, cause })
  }
}
