import { describe, expect, test } from 'vitest'
import { toBase64url } from '../../src/protocol/base64url.ts'
import { checkPublicKey } from '../../src/protocol/ed25519.ts'
import { commitmentOf, purposeKey, readRootKey } from '../../src/protocol/epoch-keys.ts'
import { toSigner } from '../../src/protocol/jws.ts'
import { readPrivateJwk, readPublicJwk, toKeyId } from '../../src/protocol/keys.ts'
import points from '../vectors/ed25519-points.json'
import epochKeys from '../vectors/epoch-keys.json'
import ids from '../vectors/ids.json'
import { ALICE, MALLORY } from './sample.ts'

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (h) => Number(`0x${h}`))
const hexOf = (bytes: Uint8Array) =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const okp = (x: string) => ({ kty: 'OKP', crv: 'Ed25519', x })

const refusal = (value: unknown) => {
  const read = readPublicJwk(value)
  return read.ok ? undefined : read.error
}

describe('checkPublicKey', () => {
  for (const { name, hex, fault } of points.refused) {
    test(`refuses ${name}`, () => {
      expect(checkPublicKey(bytesOf(hex))).toEqual({ ok: false, error: fault })
    })
  }
  test('accepts public keys of real key pairs', () => {
    for (const hex of points.accepted) expect(checkPublicKey(bytesOf(hex)).ok, hex).toBe(true)
  })
  test('accepts what the platform generates', async () => {
    for (let n = 0; n < 20; n += 1) {
      const pair = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])
      if (!('publicKey' in pair)) throw new Error('no pair')
      const raw = await crypto.subtle.exportKey('raw', pair.publicKey)
      if (!(raw instanceof ArrayBuffer)) throw new Error('not raw')
      expect(checkPublicKey(new Uint8Array(raw)).ok).toBe(true)
    }
  })
})

describe('readPublicJwk', () => {
  test('keeps the three members that the thumbprint covers', () => {
    const jwk = { ...okp(ALICE.x), use: 'sig', alg: 'EdDSA', kid: 'mine', ext: true, key_ops: [] }
    expect(readPublicJwk(jwk)).toEqual({ ok: true, value: okp(ALICE.x) })
  })
  test('refuses low-order and non-canonical keys as key-invalid', () => {
    for (const { hex } of points.refused) {
      expect(refusal(okp(toBase64url(bytesOf(hex))))?.slug).toBe('key-invalid')
    }
  })
  test('refuses a private key and says so', () => {
    expect(refusal(ALICE)?.detail).toContain('private key')
  })
  test('names the type that it found', () => {
    expect(refusal({ kty: 'RSA', n: 'AQAB', e: 'AQAB' })?.detail).toContain('found RSA/none')
    expect(refusal({ kty: 'OKP', crv: 'X25519', x: ALICE.x })?.detail).toContain('OKP/X25519')
    expect(refusal({ kty: '<script>', crv: 'x'.repeat(99) })?.detail).toContain('none/none')
  })
  test('refuses members that lead elsewhere, and what is no object', () => {
    expect(refusal({ ...okp(ALICE.x), x5u: 'https://evil.example' })?.slug).toBe('key-invalid')
    for (const value of [null, 'key', [], 7]) expect(refusal(value)?.slug).toBe('key-invalid')
    for (const x of ['', `${ALICE.x}=`, ALICE.x.slice(1), 7, undefined]) {
      expect(refusal({ kty: 'OKP', crv: 'Ed25519', x })?.slug).toBe('key-invalid')
    }
  })
  test('shows no key material in a refusal', () => {
    const shown = JSON.stringify([refusal(ALICE), refusal({ ...ALICE, kty: 'RSA' })])
    expect(shown).not.toContain(ALICE.d)
    expect(shown).not.toContain(ALICE.x)
  })
})

describe('toKeyId', () => {
  test('is the RFC 7638 thumbprint', async () => {
    for (const { jwk, key } of ids.thumbprint) {
      const read = readPublicJwk(jwk)
      expect(read.ok && (await toKeyId(read.value))).toBe(key)
    }
  })
})

describe('toSigner', () => {
  test('signs with a private key that belongs to its public one', async () => {
    const read = readPrivateJwk(ALICE)
    const signer = read.ok ? await toSigner(read.value) : read
    expect(signer.ok && signer.value.keyId).toBe(ids.thumbprint[0]?.key)
  })
  test('refuses halves of two key pairs', async () => {
    const signer = await toSigner({ ...ALICE, d: MALLORY.d })
    expect(signer).toMatchObject({ ok: false, error: { slug: 'key-invalid' } })
  })
  test('is not reached by a public key', () => {
    expect(readPrivateJwk(okp(ALICE.x))).toMatchObject({ ok: false })
    expect(readPrivateJwk({ ...ALICE, d: 'short' })).toMatchObject({ ok: false })
  })
})

describe('purposeKey', () => {
  for (const { epoch, root, commitment, purposes } of epochKeys.keys) {
    test(`derives the keys and the commitment of ${epoch}`, async () => {
      const key = readRootKey(root)
      if (key === undefined) throw new Error('no root key')
      expect(await commitmentOf(epoch, key)).toBe(commitment)
      for (const purpose of ['split', 'draw', 'inputs', 'controls'] as const) {
        expect(hexOf(await purposeKey(key, epoch, purpose))).toBe(purposes[purpose])
      }
    })
  }
  test('takes no root key of another length', () => {
    expect(readRootKey('AAAA')).toBeUndefined()
    expect(readRootKey(`${epochKeys.keys[0]?.root}A`)).toBeUndefined()
  })
})
