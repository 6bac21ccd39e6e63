import { canonicalJson } from '../../protocol/canonical.ts'
import { openProof } from '../../protocol/jws.ts'
import { readPublicJwk, toKeyId } from '../../protocol/keys.ts'
import { replayUntil } from '../../protocol/lifetime.ts'
import type { Refusal } from '../../protocol/problem.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { RegisteredKey, RegisterKey } from '../../protocol/submission.ts'
import type { Deps } from '../deps.ts'
import { findKey, insertKey, type KeyRow } from '../store/keys.ts'
import { findOrganisation, insertOrganisation } from '../store/organisations.ts'

export type Registered = { key: RegisteredKey; created: boolean }

/**
 * Registers a public key whose owner proves to hold the private half. Without `organisation` the key
 * founds a new one; with it, it joins the caller's. The same registration twice is once.
 */
export async function registerKey(
  deps: Deps,
  request: RegisterKey,
  organisation: string | undefined,
  origin: string,
): Promise<Result<Registered, Refusal>> {
  const jwk = readPublicJwk(request.jwk)
  if (!jwk.ok) return jwk
  const id = await toKeyId(jwk.value)
  const nowSeconds = Math.floor(deps.now() / 1000)
  const proof = await openProof(request.proof, jwk.value, { origin, nowSeconds })
  if (!proof.ok) return proof
  const claims = proof.value
  const meant = organisation ?? request.organisation ?? null
  if (claims.iss !== id || claims.organisation !== meant) {
    return err({
      slug: 'signature-invalid',
      detail: 'The proof is for another key or organisation.',
    })
  }
  if (organisation !== undefined && request.organisation !== undefined) {
    return err({ slug: 'body-invalid', detail: 'A key that joins an organisation names none.' })
  }
  if (!(await deps.tokens.spend(id, claims.jti, replayUntil(claims), nowSeconds))) {
    return err({ slug: 'token-replayed' })
  }

  const known = await findKey(deps.db, id)
  if (known !== undefined) return reregister(deps, known, organisation, meant)
  const home = organisation ?? `org_${Buffer.from(deps.random(12)).toString('hex')}`
  const now = deps.now()
  if (organisation === undefined) {
    await insertOrganisation(deps.db, { id: home, name: meant, createdAt: now })
  }
  const stored = await insertKey(deps.db, {
    id,
    organisation: home,
    jwk: canonicalJson(jwk.value),
    createdAt: now,
    revokedAt: null,
  })
  // Two registrations of one key at once: the other one was first, and its organisation stays.
  if (stored.organisation !== home) return reregister(deps, stored, organisation, meant)
  return ok({ key: { organisation: home, key: id }, created: true })
}

/** The answer to whoever lost the first one: the same, if it asks for the same. */
async function reregister(
  deps: Deps,
  key: KeyRow,
  organisation: string | undefined,
  name: string | null,
): Promise<Result<Registered, Refusal>> {
  const home = await findOrganisation(deps.db, key.organisation)
  const isSame =
    organisation === undefined ? home?.name === name : key.organisation === organisation
  if (!isSame || key.revokedAt !== null) return err({ slug: 'key-taken' })
  return ok({ key: { organisation: key.organisation, key: key.id }, created: false })
}
