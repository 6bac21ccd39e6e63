import { type Jwks, type PublicJwk, readPublicJwk, toKeyId } from '../protocol/keys.ts'
import type { Deps } from './deps.ts'

const published = new WeakMap<Deps, Promise<Jwks>>()

/** The keys that reports are or were signed with; they change with a deployment only. */
export function publicKeys(deps: Deps): Promise<Jwks> {
  const known = published.get(deps) ?? listKeys(deps)
  published.set(deps, known)
  return known
}

async function listKeys(deps: Deps): Promise<Jwks> {
  const signer = await deps.signer()
  const retired = deps.settings.retiredKeys.flatMap((jwk) => {
    const key = readPublicJwk(jwk)
    return key.ok ? [key.value] : []
  })
  return { keys: await Promise.all([signer.jwk, ...retired].map(describe)) }
}

const describe = async (jwk: PublicJwk) => ({
  ...jwk,
  kid: await toKeyId(jwk),
  alg: 'EdDSA' as const,
  use: 'sig' as const,
})
