import { beforeAll, describe, expect, test } from 'vitest'
import { toBase64url } from '../../src/protocol/base64url.ts'
import type { RequestClaims } from '../../src/protocol/claims.ts'
import { readKeyId } from '../../src/protocol/compact.ts'
import { EMPTY_SHA256, sha256Hex } from '../../src/protocol/digest.ts'
import {
  checkBody,
  openRequest,
  type Signer,
  signManifest,
  signRequest,
} from '../../src/protocol/jws.ts'
import { replayUntil } from '../../src/protocol/lifetime.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import ids from '../vectors/ids.json'
import { encode, forge } from './forge.ts'
import { ALICE, MALLORY, NOW, ORIGIN, sampleCard, sampleManifest, signerOf } from './sample.ts'

let alice: Signer
let mallory: Signer
let manifest: Manifest
let claims: RequestClaims

beforeAll(async () => {
  alice = await signerOf(ALICE)
  mallory = await signerOf(MALLORY)
  manifest = sampleManifest(sampleCard('live'), alice.keyId)
  claims = {
    iss: alice.keyId,
    aud: ORIGIN,
    htm: 'POST',
    htu: '/v1/submissions?dry=1',
    body: await sha256Hex('{"manifest":"x"}'),
    iat: NOW,
    exp: NOW + 240,
    jti: 'AAECAwQFBgcICQoLDA0ODw',
  }
})

const here = { origin: ORIGIN, nowSeconds: NOW + 5 }
const request = { ...here, method: 'POST', target: '/v1/submissions?dry=1' }
const header = (more: object = {}) => ({
  alg: 'EdDSA',
  typ: 'failmap-request+jwt',
  kid: alice.keyId,
  ...more,
})

const slugOf = async (token: string, target = request) => {
  const opened = await openRequest(token, alice.jwk, target)
  return opened.ok ? 'opened' : opened.error.slug
}

describe('openRequest', () => {
  test('opens what signRequest signed', async () => {
    const token = await signRequest(claims, alice)
    expect(readKeyId(token, 'request')).toBe(alice.keyId)
    expect(await openRequest(token, alice.jwk, request)).toEqual({ ok: true, value: claims })
    expect(checkBody(claims, claims.body).ok).toBe(true)
  })

  test('refuses times beyond the calendar instead of breaking on them', async () => {
    for (const iat of [253_402_300_800, 8_640_000_000_001, 2 ** 53 - 1_000]) {
      const late = { ...claims, iat, exp: iat + 100 }
      expect(await slugOf(await forge(header(), late, alice))).toBe('token-invalid')
    }
    const last = { ...claims, iat: 253_402_300_700, exp: 253_402_300_799 }
    expect(await slugOf(await forge(header(), last, alice))).toBe('clock-skew')
  })

  test('refuses alg none and an empty signature (J01)', async () => {
    const [, payload = ''] = (await signRequest(claims, alice)).split('.')
    for (const alg of ['none', 'None', 'nOnE', '']) {
      expect(await slugOf(`${encode(header({ alg }))}.${payload}.`)).toBe('token-invalid')
      expect(await slugOf(await forge(header({ alg }), claims, alice))).toBe('token-invalid')
    }
    expect(await slugOf(`${encode(header())}.${payload}.`)).toBe('token-invalid')
  })

  test('refuses HS256 keyed with the bytes of the public key (J02)', async () => {
    for (const secret of [ALICE.x, JSON.stringify(alice.jwk)]) {
      const raw = new TextEncoder().encode(secret)
      const key = await crypto.subtle.importKey(
        'raw',
        raw,
        { name: 'HMAC', hash: 'SHA-256' },
        false,
        ['sign'],
      )
      const input = `${encode(header({ alg: 'HS256' }))}.${encode(claims)}`
      const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(input))
      expect(await slugOf(`${input}.${toBase64url(new Uint8Array(mac))}`)).toBe('token-invalid')
    }
  })

  test('refuses every other algorithm name, Ed25519 among them', async () => {
    for (const alg of ['Ed25519', 'ES256', 'RS256', 'EdDSA ', 'eddsa', null, ['EdDSA']]) {
      const token = await forge(header({ alg }), claims, alice)
      expect(readKeyId(token, 'request')).toBeUndefined()
      expect(await slugOf(token)).toBe('token-invalid')
    }
  })

  test('finds no key id in a kid that is not one, in constant words (J03)', async () => {
    for (const kid of ids.key_id.refused) {
      const token = await forge(header({ kid }), claims, alice)
      expect(readKeyId(token, 'request')).toBeUndefined()
      expect(await openRequest(token, alice.jwk, request)).toEqual({
        ok: false,
        error: { slug: 'token-invalid' },
      })
    }
    const other = await forge(header({ kid: mallory.keyId }), claims, alice)
    expect(await openRequest(other, alice.jwk, request)).toEqual({
      ok: false,
      error: { slug: 'token-invalid' },
    })
  })

  test('refuses headers that name keys or extensions, signed or not (J04, J05)', async () => {
    const extras = [
      { jwk: alice.jwk },
      { jku: 'https://evil.example/jwks.json' },
      { x5u: 'https://evil.example/cert.pem' },
      { x5c: ['AAAA'] },
      { x5t: 'AAAA' },
      { crit: ['exp'], exp: NOW },
      { crit: ['unknown'] },
      { crit: ['b64'], b64: false },
      { b64: false },
      { b64: true },
      { cty: 'json' },
      { zip: 'DEF' },
    ]
    for (const extra of extras) {
      const token = await forge(header(extra), claims, alice)
      expect(await slugOf(token), JSON.stringify(extra)).toBe('token-invalid')
    }
  })

  test('refuses a duplicated header member, whichever the reader would keep', async () => {
    const double = `{"alg":"none","alg":"EdDSA","typ":"failmap-request+jwt","kid":"${alice.keyId}"}`
    expect(await slugOf(await forge(double, claims, alice))).toBe('token-invalid')
  })

  test('takes the compact form only (J06)', async () => {
    const [protectedPart = '', payload = '', signature = ''] = (
      await signRequest(claims, alice)
    ).split('.')
    const flattened = { protected: protectedPart, payload, signature }
    const unprotectedAlg = {
      payload,
      protected: encode({ typ: 'failmap-request+jwt', kid: alice.keyId }),
      header: { alg: 'EdDSA' },
      signature,
    }
    const general = { payload, signatures: [{ protected: protectedPart, signature }] }
    for (const form of [flattened, unprotectedAlg, general]) {
      expect(await slugOf(JSON.stringify(form))).toBe('token-invalid')
    }
    const detached = `${protectedPart}..${signature}`
    for (const text of [detached, '', '.', '..', '...', 'a.b.c.d', `${protectedPart}.${payload}`]) {
      expect(await slugOf(text)).toBe('token-invalid')
    }
  })

  test('refuses a second spelling of a part: padding, spaces, left-over bits', async () => {
    const token = await signRequest(claims, alice)
    const [h = '', p = '', s = ''] = token.split('.')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet[alphabet.indexOf(s.slice(-1)) ^ 1] ?? ''
    const spellings = [
      `${h}.${p}.${s}=`,
      `${h}.${p}.${s}\n`,
      ` ${token}`,
      `${h}.${p}.${s.slice(0, -1)}${last}`,
    ]
    for (const text of spellings) expect(await slugOf(text)).toBe('token-invalid')
  })

  test('refuses a token with any byte flipped', async () => {
    const token = await signRequest(claims, alice)
    for (let index = 0; index < token.length; index += 7) {
      const flipped = String.fromCharCode(token.charCodeAt(index) ^ 1)
      const text = token.slice(0, index) + flipped + token.slice(index + 1)
      expect(await slugOf(text), `byte ${index}`).toBe('token-invalid')
    }
  })

  test('refuses the signature of another key, and another payload under a signature', async () => {
    expect(await slugOf(await forge(header(), claims, mallory))).toBe('token-invalid')
    const [h = '', , s = ''] = (await signRequest(claims, alice)).split('.')
    expect(await slugOf(`${h}.${encode({ ...claims, htm: 'DELETE' })}.${s}`)).toBe('token-invalid')
  })

  test('refuses a signature that was made for another use', async () => {
    const token = await signManifest(manifest, alice)
    expect(await slugOf(token)).toBe('token-invalid')
    const disguised = await forge(header({ typ: 'failmap-manifest+jwt' }), claims, alice)
    expect(await slugOf(disguised)).toBe('token-invalid')
    for (const typ of ['JWT', 'application/failmap-request+jwt', 'FAILMAP-REQUEST+JWT', null]) {
      expect(await slugOf(await forge(header({ typ }), claims, alice))).toBe('token-invalid')
    }
  })

  test('refuses expired, future and never-ending tokens (J07)', async () => {
    const at = async (iat: number, exp: number) =>
      slugOf(await signRequest({ ...claims, iat, exp }, alice))
    expect(await at(NOW - 3600, NOW - 3400)).toBe('clock-skew')
    expect(await at(NOW + 3600, NOW + 3700)).toBe('clock-skew')
    expect(await at(NOW, NOW + 301)).toBe('token-invalid')
    expect(await at(NOW, NOW)).toBe('token-invalid')
    expect(await at(NOW, NOW - 10)).toBe('token-invalid')
  })

  test('refuses a token without one of its claims, or with one more (J07)', async () => {
    for (const name of Object.keys(claims)) {
      const rest = Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))
      expect(await slugOf(await forge(header(), rest, alice)), name).toBe('token-invalid')
    }
    expect(await slugOf(await forge(header(), { ...claims, nbf: NOW }, alice))).toBe(
      'token-invalid',
    )
    expect(await slugOf(await forge(header(), { ...claims, exp: `${NOW}` }, alice))).toBe(
      'token-invalid',
    )
    expect(await slugOf(await forge(header(), { ...claims, exp: 1e300 }, alice))).toBe(
      'token-invalid',
    )
    expect(await slugOf(await forge(header(), '[]', alice))).toBe('token-invalid')
    const double = JSON.stringify(claims).replace('{', '{"htm":"GET",')
    expect(await slugOf(await forge(header(), double, alice))).toBe('token-invalid')
  })

  test('accepts a clock that is 90 seconds off, in both directions (CL-160)', async () => {
    for (const skew of [-90, 90]) {
      const iat = NOW + 5 + skew
      const token = await signRequest({ ...claims, iat, exp: iat + 300 }, alice)
      expect(await slugOf(token)).toBe('opened')
    }
  })

  test('beyond the tolerance says that it is the clock and gives both times', async () => {
    const iat = NOW + LIMITS.clockToleranceSeconds + 6
    const token = await signRequest({ ...claims, iat, exp: iat + 60 }, alice)
    const opened = await openRequest(token, alice.jwk, request)
    if (opened.ok) throw new Error('opened')
    expect(opened.error.slug).toBe('clock-skew')
    expect(opened.error.detail).toContain('2026-11-30T00:55:26Z')
    expect(opened.error.detail).toContain('2026-11-30T00:53:25Z')
  })

  test('is bound to one environment and tells which it expects (J08, CL-162)', async () => {
    const token = await signRequest({ ...claims, aud: 'https://staging.example' }, alice)
    const opened = await openRequest(token, alice.jwk, request)
    expect(opened).toMatchObject({ ok: false, error: { slug: 'token-invalid' } })
    expect(JSON.stringify(opened)).toContain(
      'https://staging.example, this service is https://api.example',
    )
    expect(await slugOf(await forge(header(), { ...claims, aud: `${ORIGIN}/` }, alice))).toBe(
      'token-invalid',
    )
  })

  test('is bound to method, path, query and body (J09)', async () => {
    const token = await signRequest(claims, alice)
    expect(await slugOf(token, { ...request, method: 'PUT' })).toBe('token-invalid')
    expect(await slugOf(token, { ...request, target: '/v1/submissions' })).toBe('token-invalid')
    expect(await slugOf(token, { ...request, target: '/v1/keys?dry=1' })).toBe('token-invalid')
    expect(checkBody(claims, EMPTY_SHA256)).toMatchObject({ error: { slug: 'token-invalid' } })
  })

  test('names its issuer truthfully', async () => {
    const token = await signRequest({ ...claims, iss: mallory.keyId }, alice)
    expect(await slugOf(token)).toBe('token-invalid')
  })

  test('refuses tokens over the size limit unread', async () => {
    const token = await forge(header(), { ...claims, pad: 'x'.repeat(LIMITS.jwsBytes) }, alice)
    expect(readKeyId(token, 'request')).toBeUndefined()
  })
})

describe('replayUntil', () => {
  test('remembers a jti for as long as its token could be accepted (J08)', async () => {
    const token = await signRequest(claims, alice)
    const last = replayUntil(claims)
    expect(await slugOf(token, { ...request, nowSeconds: last })).toBe('opened')
    expect(await slugOf(token, { ...request, nowSeconds: last + 1 })).toBe('clock-skew')
  })
})
