import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

const READ_BYTES = 1 << 20

type Hashed = { sha256: string; bytes: number }

/** SHA-256 in hex and size of a file, read in pieces. */
export function hashFile(file: string): Hashed {
  const descriptor = openSync(file, 'r')
  try {
    return hashOpen(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The same of a file that is open, which another may have taken the name of. */
export function hashOpen(descriptor: number): Hashed {
  const hash = createHash('sha256')
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let bytes = 0
  for (let got = 1; got > 0; ) {
    got = readSync(descriptor, buffer, 0, READ_BYTES, bytes)
    hash.update(buffer.subarray(0, got))
    bytes += got
  }
  return { sha256: hash.digest('hex'), bytes }
}
