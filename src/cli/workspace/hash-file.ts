import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

const READ_BYTES = 1 << 20

/** SHA-256 in hex and size of a file, read in pieces. */
export function hashFile(file: string): { sha256: string; bytes: number } {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  const descriptor = openSync(file, 'r')
  let bytes = 0
  try {
    for (let got = 1; got > 0; ) {
      got = readSync(descriptor, buffer, 0, READ_BYTES, null)
      hash.update(buffer.subarray(0, got))
      bytes += got
    }
  } finally {
    closeSync(descriptor)
  }
  return { sha256: hash.digest('hex'), bytes }
}
