import { CompactSign, compactVerify, errors, importJWK } from 'jose'
import type { z } from 'zod'
import { canonicalBytes } from './canonical.ts'
import {
  type ProofClaims,
  proofClaimsSchema,
  type RequestClaims,
  requestClaimsSchema,
} from './claims.ts'
import { JWS_ALG, JWS_TYPES, type JwsUse, readKeyId } from './compact.ts'
import { sha256Hex } from './digest.ts'
import { type Jwks, type PrivateJwk, type PublicJwk, readPublicJwk, toKeyId } from './keys.ts'
import { checkLifetime } from './lifetime.ts'
import { LIMITS } from './limits.ts'
import { type Manifest, manifestSchema } from './manifest.ts'
import type { ProblemSlug, Refusal } from './problem.ts'
import { type Report, reportSchema } from './report.ts'
import { err, ok, type Result } from './result.ts'
import { readShape } from './shape.ts'

/** A key that can sign, with the id that its signatures name. */
export type Signer = { keyId: string; jwk: PublicJwk; key: CryptoKey }

/** Makes a signer of a private key; refuses one whose two halves do not belong together. */
export async function toSigner(jwk: PrivateJwk): Promise<Result<Signer, Refusal>> {
  const mismatch = err<Refusal>({ slug: 'key-invalid', detail: 'd does not belong to x' })
  const publicJwk: PublicJwk = { kty: jwk.kty, crv: jwk.crv, x: jwk.x }
  const key = await importKey(jwk)
  if (key === undefined) return mismatch
  const signer = { keyId: await toKeyId(publicJwk), jwk: publicJwk, key }
  // Some runtimes import a mixed pair; what it signs would be refused much later, by a stranger.
  const trial = await sign('proof', {}, signer)
  return (await verify(trial, publicJwk)) === undefined ? mismatch : ok(signer)
}

/** Signs what a submission is: the manifest's canonical bytes. */
export const signManifest = (manifest: Manifest, signer: Signer): Promise<string> =>
  sign('manifest', manifest, signer)

/** Signs a token for one request. */
export const signRequest = (claims: RequestClaims, signer: Signer): Promise<string> =>
  sign('request', claims, signer)

/** Signs a proof that the registering party holds the private key. */
export const signProof = (claims: ProofClaims, signer: Signer): Promise<string> =>
  sign('proof', claims, signer)

/** Signs a report's canonical bytes; the same report and key give the same JWS. */
export const signReport = (report: Report, signer: Signer): Promise<string> =>
  sign('report', report, signer)

/** Where and when something signed is received. `origin` is this API's own. */
export type Receiver = { origin: string; nowSeconds: number }

/** A manifest with the SHA-256 of its signed payload, from which the submission's id follows. */
export type OpenedManifest = { manifest: Manifest; sha256: string }

/**
 * Opens a manifest: signature first, then shape, then meaning, so that no field of unsigned bytes
 * is ever read. `key` is the registered key that `readKeyId(jws, 'manifest')` named.
 */
export async function openManifest(
  jws: string,
  key: PublicJwk,
  receiver: Receiver,
): Promise<Result<OpenedManifest, Refusal>> {
  const opened = await open('manifest', jws, key, manifestSchema, 'signature-invalid')
  if (!opened.ok) return opened
  const { claims: manifest, payload } = opened.value
  const longest = LIMITS.manifestLifetimeSeconds
  const checked = await checkClaims(manifest, key, receiver, longest, 'signature-invalid')
  return checked.ok ? ok({ manifest, sha256: await sha256Hex(payload) }) : checked
}

/** The request that a token must have been made for; `target` is path and query. */
export type RequestTarget = Receiver & { method: string; target: string }

/**
 * Opens a request token. Left to the caller, in this order: `checkKeyLife`, the jti (once), and
 * `checkBody` when the body has been read.
 */
export async function openRequest(
  token: string,
  key: PublicJwk,
  request: RequestTarget,
): Promise<Result<RequestClaims, Refusal>> {
  const opened = await open('request', token, key, requestClaimsSchema, 'token-invalid')
  if (!opened.ok) return asClaimFault(opened.error, 'token-invalid')
  const { claims } = opened.value
  const longest = LIMITS.requestLifetimeSeconds
  const checked = await checkClaims(claims, key, request, longest, 'token-invalid')
  if (!checked.ok) return checked
  if (claims.htm !== request.method || claims.htu !== request.target) {
    return err({ slug: 'token-invalid', detail: 'The token is for another method or path.' })
  }
  return ok(claims)
}

/** Compares the body that arrived with the one that the token was made for. */
export const checkBody = (claims: RequestClaims, bodySha256: string): Result<true, Refusal> =>
  claims.body === bodySha256
    ? ok(true)
    : err({ slug: 'token-invalid', detail: 'The token is for another body.' })

/** Opens a proof of possession made with the very key that it wants registered. */
export async function openProof(
  jws: string,
  key: PublicJwk,
  receiver: Receiver,
): Promise<Result<ProofClaims, Refusal>> {
  const opened = await open('proof', jws, key, proofClaimsSchema, 'signature-invalid')
  if (!opened.ok) return asClaimFault(opened.error, 'signature-invalid')
  const { claims } = opened.value
  const longest = LIMITS.proofLifetimeSeconds
  const checked = await checkClaims(claims, key, receiver, longest, 'signature-invalid')
  return checked.ok ? ok(claims) : checked
}

/** Opens a report with the keys of the API that signed it; needs no network and no clock. */
export async function openReport(jws: string, jwks: Jwks): Promise<Result<Report, Refusal>> {
  const keyId = readKeyId(jws, 'report')
  const listed = jwks.keys.find((key) => key.kid === keyId)
  const key = readPublicJwk(listed)
  if (!key.ok) return err({ slug: 'signature-invalid', detail: 'No listed key signed this.' })
  const opened = await open('report', jws, key.value, reportSchema, 'signature-invalid')
  return opened.ok ? ok(opened.value.claims) : opened
}

async function sign(use: JwsUse, payload: unknown, { keyId, key }: Signer): Promise<string> {
  return new CompactSign(canonicalBytes(payload))
    .setProtectedHeader({ alg: JWS_ALG, typ: JWS_TYPES[use], kid: keyId })
    .sign(key)
}

async function open<T>(
  use: JwsUse,
  jws: string,
  jwk: PublicJwk,
  schema: z.ZodType<T>,
  slug: ProblemSlug,
): Promise<Result<{ claims: T; payload: Uint8Array }, Refusal>> {
  // The thumbprint ties the named id to the key that verifies, whatever the look-up returned.
  const isNamed = readKeyId(jws, use) === (await toKeyId(jwk))
  const payload = isNamed ? await verify(jws, jwk) : undefined
  if (payload === undefined) return err({ slug })
  const claims = readShape(payload, schema)
  return claims.ok ? ok({ claims: claims.value, payload }) : claims
}

async function verify(jws: string, jwk: PublicJwk): Promise<Uint8Array | undefined> {
  const key = await importKey(jwk)
  if (key === undefined) return undefined
  try {
    const { payload } = await compactVerify(jws, key, { algorithms: [JWS_ALG] })
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

async function importKey(jwk: PublicJwk | PrivateJwk): Promise<CryptoKey | undefined> {
  try {
    const key = await importJWK({ ...jwk }, JWS_ALG)
    return key instanceof Uint8Array ? undefined : key
  } catch (error) {
    // WebCrypto reports bad key data as a DOMException whose class differs between runtimes.
    if (error instanceof Error) return undefined
    throw error
  }
}

// A signed token with a missing or odd claim is a bad credential, not a bad body.
const asClaimFault = ({ errors: faults }: Refusal, slug: ProblemSlug) =>
  err<Refusal>(faults === undefined ? { slug } : { slug, errors: faults })

type Claims = { iss: string; aud: string; iat: number; exp: number }

async function checkClaims(
  claims: Claims,
  key: PublicJwk,
  { origin, nowSeconds }: Receiver,
  longestSeconds: number,
  slug: ProblemSlug,
): Promise<Result<true, Refusal>> {
  if (claims.iss !== (await toKeyId(key))) {
    return err({ slug, detail: 'iss is not the key that signed' })
  }
  if (claims.aud !== origin) {
    return err({ slug, detail: `aud is ${claims.aud}, this service is ${origin}` })
  }
  return checkLifetime(claims, nowSeconds, longestSeconds, slug)
}
