import { z } from 'zod'
import { fromBase64url } from './base64url.ts'
import { keyIdSchema } from './ids.ts'
import { readJson } from './json.ts'
import { LIMITS } from './limits.ts'

/** What a JWS of ours says; the `typ` keeps a signature for one use from serving another. */
export const JWS_TYPES = {
  manifest: 'failmap-manifest+jwt',
  request: 'failmap-request+jwt',
  proof: 'failmap-proof+jwt',
  report: 'failmap-report+jwt',
} as const
export type JwsUse = keyof typeof JWS_TYPES

/** The one accepted name of Ed25519 signatures. */
export const JWS_ALG = 'EdDSA'

// Strict: with no room for jwk, jku, x5u, x5c, crit or b64, a header can name no key but by kid.
const headerSchema = z.strictObject({
  alg: z.literal(JWS_ALG),
  typ: z.enum(JWS_TYPES),
  kid: keyIdSchema,
})

const SIGNATURE_BYTES = 64

/**
 * The key id that a compact JWS names, or undefined unless the text is a compact JWS of this use
 * with exactly the header that we accept. Nothing of it is verified yet: the id is good for one
 * look-up by equality and for nothing else.
 */
export function readKeyId(jws: string, use: JwsUse): string | undefined {
  if (jws.length > (use === 'report' ? LIMITS.reportJwsBytes : LIMITS.jwsBytes)) return undefined
  const parts = jws.split('.', 4)
  if (parts.length !== 3) return undefined
  const [header, payload, signature] = parts.map(fromBase64url)
  if (header === undefined || payload === undefined) return undefined
  if (signature?.length !== SIGNATURE_BYTES) return undefined
  const json = readJson(header)
  const parsed = headerSchema.safeParse(json.ok ? json.value : null)
  return parsed.success && parsed.data.typ === JWS_TYPES[use] ? parsed.data.kid : undefined
}
