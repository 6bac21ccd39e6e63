import { z } from 'zod'
import { fromBase64url, toBase64url } from './base64url.ts'
import { canonicalJson } from './canonical.ts'
import { sha256 } from './digest.ts'
import { checkPublicKey, type PointFault } from './ed25519.ts'
import { keyIdSchema } from './ids.ts'
import type { Refusal } from './problem.ts'
import { err, ok, type Result } from './result.ts'

/** Ed25519 public key as RFC 8037 JWK, reduced to the members that its thumbprint covers. */
export type PublicJwk = { kty: 'OKP'; crv: 'Ed25519'; x: string }

/** A public key with its private half; never leaves the machine that made it. */
export type PrivateJwk = PublicJwk & { d: string }

/** Answer of `/.well-known/jwks.json`: the keys that reports are signed with, old ones included. */
export const jwksSchema = z.strictObject({
  keys: z.array(
    z.strictObject({
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: z.string(),
      kid: keyIdSchema,
      alg: z.literal('EdDSA'),
      use: z.literal('sig'),
    }),
  ),
})
export type Jwks = z.infer<typeof jwksSchema>

const POINT_FAULTS: Record<PointFault, string> = {
  length: 'x is not 32 bytes in base64url without padding',
  'non-canonical': 'x is not the canonical encoding of a point',
  'off-curve': 'x is not a point of the curve',
  'low-order': 'x is a point of low order',
}

// Members that key tools add; they carry nothing that is trusted here.
const IGNORED_MEMBERS: ReadonlySet<string> = new Set(['alg', 'use', 'kid', 'key_ops', 'ext'])

const refuse = (detail: string) => err<Refusal>({ slug: 'key-invalid', detail })

/** Reads a stranger's public key. The refusal says what was found and never shows key material. */
export function readPublicJwk(value: unknown): Result<PublicJwk, Refusal> {
  const members = readMembers(value)
  if (!members.ok) return members
  if (members.value.has('d')) return refuse('this is a private key; send its public part only')
  return readPublicPart(members.value)
}

/** Reads a private key that the caller owns. */
export function readPrivateJwk(value: unknown): Result<PrivateJwk, Refusal> {
  const members = readMembers(value)
  if (!members.ok) return members
  const d = members.value.get('d')
  if (d === undefined) return refuse('this is a public key; signing needs the private one')
  const publicJwk = readPublicPart(members.value)
  if (!publicJwk.ok) return publicJwk
  if (typeof d !== 'string' || fromBase64url(d)?.length !== 32) {
    return refuse('d is not 32 bytes in base64url without padding')
  }
  return ok({ ...publicJwk.value, d })
}

/** Id of a key: its RFC 7638 thumbprint. */
export async function toKeyId({ kty, crv, x }: PublicJwk): Promise<string> {
  return `key_${toBase64url(await sha256(canonicalJson({ kty, crv, x })))}`
}

function readMembers(value: unknown): Result<Map<string, unknown>, Refusal> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('this is not a JWK object')
  }
  return ok(new Map(Object.entries(value)))
}

function readPublicPart(members: Map<string, unknown>): Result<PublicJwk, Refusal> {
  const kty = members.get('kty')
  const crv = members.get('crv')
  if (kty !== 'OKP' || crv !== 'Ed25519') {
    return refuse(`found ${describe(kty)}/${describe(crv)}, wanted OKP/Ed25519`)
  }
  for (const name of members.keys()) {
    if (!['kty', 'crv', 'x', 'd'].includes(name) && !IGNORED_MEMBERS.has(name)) {
      return refuse('the JWK has a member that is not expected')
    }
  }
  const x = members.get('x')
  const bytes = typeof x === 'string' ? fromBase64url(x) : undefined
  if (typeof x !== 'string' || bytes === undefined) return refuse(POINT_FAULTS.length)
  const point = checkPublicKey(bytes)
  return point.ok ? ok({ kty, crv, x }) : refuse(POINT_FAULTS[point.error])
}

// Only names of known key types are echoed: the member may hold anything.
const describe = (member: unknown): string =>
  typeof member === 'string' && /^[A-Za-z0-9-]{1,16}$/.test(member) ? member : 'none'
