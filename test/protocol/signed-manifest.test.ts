import { beforeAll, describe, expect, test } from 'vitest'
import type { ProofClaims } from '../../src/protocol/claims.ts'
import { sha256Hex } from '../../src/protocol/digest.ts'
import {
  openManifest,
  openProof,
  type Signer,
  signManifest,
  signProof,
} from '../../src/protocol/jws.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import { encode, forge } from './forge.ts'
import { ALICE, MALLORY, NOW, ORIGIN, sampleCard, sampleManifest, signerOf } from './sample.ts'

let alice: Signer
let mallory: Signer
let manifest: Manifest

beforeAll(async () => {
  alice = await signerOf(ALICE)
  mallory = await signerOf(MALLORY)
  manifest = sampleManifest(sampleCard('live'), alice.keyId)
})

const here = { origin: ORIGIN, nowSeconds: NOW + 5 }
const typed = () => ({ alg: 'EdDSA', typ: 'failmap-manifest+jwt', kid: alice.keyId })

const proof = (): ProofClaims => ({
  iss: alice.keyId,
  aud: ORIGIN,
  organisation: 'Acme',
  iat: NOW,
  exp: NOW + 60,
  jti: 'AAECAwQFBgcICQoLDA0ODw',
})

describe('openManifest', () => {
  const slug = async (jws: string, receiver = here) => {
    const opened = await openManifest(jws, alice.jwk, receiver)
    return opened.ok ? 'opened' : opened.error.slug
  }

  test('gives the digest of the signed payload, which names the submission', async () => {
    const jws = await signManifest(manifest, alice)
    const opened = await openManifest(jws, alice.jwk, here)
    if (!opened.ok) throw new Error(opened.error.slug)
    const [, payload = ''] = jws.split('.')
    expect(opened.value.manifest).toEqual(manifest)
    expect(opened.value.sha256).toBe(
      await sha256Hex(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))),
    )
  })

  test('is the same text each time it is signed', async () => {
    expect(await signManifest(manifest, alice)).toBe(await signManifest({ ...manifest }, alice))
  })

  test('verifies the bytes that came, however the signer wrote its JSON (CL-169)', async () => {
    const loose = JSON.stringify(manifest, null, 1).replace('"ollama"', '"\\u006Fllama"')
    const jws = await forge(typed(), loose, alice)
    const opened = await openManifest(jws, alice.jwk, here)
    expect(opened.ok && opened.value.manifest).toEqual(manifest)
    expect(opened.ok && opened.value.sha256).toBe(await sha256Hex(loose))
  })

  test('says only signature-invalid to a forger, whatever is wrong', async () => {
    const [h = '', , s = ''] = (await signManifest(manifest, alice)).split('.')
    const swapped = `${h}.${encode({ ...manifest, prompt_version: 2 })}.${s}`
    expect(await openManifest(swapped, alice.jwk, here)).toEqual({
      ok: false,
      error: { slug: 'signature-invalid' },
    })
    expect(await slug(await signManifest(manifest, mallory))).toBe('signature-invalid')
    expect(await slug(await signProof(proof(), alice))).toBe('signature-invalid')
    expect(await slug('{"manifest":1}')).toBe('signature-invalid')
  })

  test('tells the signer which places of the shape are wrong', async () => {
    const opened = await openManifest(
      await forge(typed(), { ...manifest, jti: 'x' }, alice),
      alice.jwk,
      here,
    )
    expect(opened).toMatchObject({ error: { slug: 'body-invalid', errors: [{ pointer: '/jti' }] } })
    expect(await slug(await forge(typed(), { ...manifest, extra: 1 }, alice))).toBe('body-invalid')
    const double = JSON.stringify(manifest).replace('{', '{"iat":1,')
    expect(await slug(await forge(typed(), double, alice))).toBe('json-invalid')
  })

  test('outlives an outage of days, but not for ever (CL-156)', async () => {
    const longest = LIMITS.manifestLifetimeSeconds
    const jws = await signManifest({ ...manifest, exp: NOW + longest }, alice)
    expect(await slug(jws, { ...here, nowSeconds: NOW + longest })).toBe('opened')
    expect(await slug(jws, { ...here, nowSeconds: NOW + longest + 121 })).toBe('clock-skew')
    const eternal = await signManifest({ ...manifest, exp: NOW + longest + 1 }, alice)
    expect(await slug(eternal)).toBe('signature-invalid')
  })

  test('is bound to one environment and one signer', async () => {
    const elsewhere = { ...here, origin: 'https://staging.example' }
    expect(await slug(await signManifest(manifest, alice), elsewhere)).toBe('signature-invalid')
    const borrowed = { ...manifest, iss: mallory.keyId }
    expect(await slug(await signManifest(borrowed, alice))).toBe('signature-invalid')
  })
})

describe('openProof', () => {
  test('opens with the key that it proves', async () => {
    const opened = await openProof(await signProof(proof(), alice), alice.jwk, here)
    expect(opened).toEqual({ ok: true, value: proof() })
  })
  test('proves no other key', async () => {
    const jws = await signProof(proof(), alice)
    expect(await openProof(jws, mallory.jwk, here)).toMatchObject({ ok: false })
    const crossed = await signProof({ ...proof(), iss: mallory.keyId }, alice)
    expect(await openProof(crossed, alice.jwk, here)).toMatchObject({ ok: false })
  })
  test('goes stale after minutes', async () => {
    const jws = await signProof(proof(), alice)
    const later = { ...here, nowSeconds: NOW + 600 }
    expect(await openProof(jws, alice.jwk, later)).toMatchObject({ error: { slug: 'clock-skew' } })
  })
})
