import { err, ok, type Result } from './result.ts'

/** Why 32 bytes are no acceptable Ed25519 public key. */
export type PointFault = 'length' | 'non-canonical' | 'off-curve' | 'low-order'

const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

// Half of the y coordinates of order 8; the others are their negatives.
const Y8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022n

const LOW_ORDER_Y: ReadonlySet<bigint> = new Set([0n, 1n, P - 1n, Y8, P - Y8])

/**
 * Accepts the one encoding of a point on the curve that is not of order 1, 2, 4 or 8. With a
 * low-order key one signature fits many messages, so its owner could deny or swap what was signed;
 * a non-canonical encoding gives one key several ids (RFC 8032 section 5.1.3).
 */
export function checkPublicKey(bytes: Uint8Array): Result<true, PointFault> {
  if (bytes.length !== 32) return err('length')
  const encoded = bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)
  const y = encoded & (2n ** 255n - 1n)
  if (y >= P) return err('non-canonical')
  if (LOW_ORDER_Y.has(y)) return err('low-order')
  return isSquareRatio(y) ? ok(true) : err('off-curve')
}

// x^2 = (y^2 - 1) / (d y^2 + 1) has a root when numerator times denominator is a square (Euler).
function isSquareRatio(y: bigint): boolean {
  const square = (y * y) % P
  const product = ((square - 1n + P) * (D * square + 1n)) % P
  return power(product, (P - 1n) / 2n) === 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let factor = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * factor) % P
    factor = (factor * factor) % P
  }
  return result
}
