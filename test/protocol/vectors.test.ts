import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import { proofClaimsSchema, requestClaimsSchema } from '../../src/protocol/claims.ts'
import { canonicalSha256, sha256Hex } from '../../src/protocol/digest.ts'
import { epochCardSchema } from '../../src/protocol/epoch.ts'
import { toReportId, toSubmissionId } from '../../src/protocol/ids.ts'
import { readJson } from '../../src/protocol/json.ts'
import {
  openManifest,
  openProof,
  openRequest,
  signManifest,
  signProof,
  signRequest,
} from '../../src/protocol/jws.ts'
import { readPrivateJwk } from '../../src/protocol/keys.ts'
import { manifestSchema } from '../../src/protocol/manifest.ts'
import { patchSchema } from '../../src/protocol/patch.ts'
import vectors from '../vectors/jws.json'
import { signerOf } from './sample.ts'

const receiver = { origin: vectors.origin, nowSeconds: vectors.now }

async function signer() {
  const jwk = readPrivateJwk(vectors.private_jwk)
  if (!jwk.ok) throw new Error(jwk.error.detail)
  return signerOf(jwk.value)
}

describe('the published signatures', () => {
  test('are what signing gives, byte for byte', async () => {
    const alice = await signer()
    expect(alice.keyId).toBe(vectors.key)
    const manifest = manifestSchema.parse(vectors.manifest.payload)
    const request = requestClaimsSchema.parse(vectors.request.payload)
    const proof = proofClaimsSchema.parse(vectors.proof.payload)
    expect(await signManifest(manifest, alice)).toBe(vectors.manifest.jws)
    expect(await signRequest(request, alice)).toBe(vectors.request.jws)
    expect(await signProof(proof, alice)).toBe(vectors.proof.jws)
  })

  test('open with the key that they name', async () => {
    const { jwk } = await signer()
    const { manifest, request, proof } = vectors
    const target = { ...receiver, method: 'POST', target: '/v1/submissions' }
    expect(await openManifest(manifest.jws, jwk, receiver)).toEqual({
      ok: true,
      value: { manifest: manifest.payload, sha256: manifest.sha256 },
    })
    expect(await openRequest(request.jws, jwk, target)).toMatchObject({ ok: true })
    expect(await openProof(proof.jws, jwk, receiver)).toMatchObject({ ok: true })
  })

  test('lead to the published ids and digests', async () => {
    const { manifest, card, patches } = vectors
    expect(toSubmissionId(manifest.sha256)).toBe(manifest.submission)
    expect(toReportId(manifest.submission)).toBe(manifest.report)
    expect(await canonicalSha256(epochCardSchema.parse(card))).toBe(vectors.card_sha256)
    expect(await sha256Hex(patches)).toBe(manifest.payload.patches.sha256)
    expect(await sha256Hex(vectors.request.body)).toBe(vectors.request.payload.body)
  })

  test('cover patch lines in canonical form', () => {
    const lines = vectors.patches.split('\n').slice(0, -1)
    expect(lines).toHaveLength(vectors.manifest.payload.patches.count)
    for (const line of lines) {
      const read = readJson(line)
      const patch = patchSchema.parse(read.ok ? read.value : null)
      expect(canonicalJson(patch)).toBe(line)
    }
  })
})
