import { beforeAll, describe, expect, test } from 'vitest'
import { openReport, type Signer, signReport } from '../../src/protocol/jws.ts'
import type { Jwks } from '../../src/protocol/keys.ts'
import { ALICE, MALLORY, sampleCard, signerOf } from './sample.ts'
import { build, talliesOf } from './sample-report.ts'

const card = sampleCard('live')

describe('openReport', () => {
  let signer: Signer
  let jwks: Jwks
  const report = () =>
    build(
      card,
      talliesOf(card, (i) => i * 4),
    )
  beforeAll(async () => {
    signer = await signerOf(ALICE)
    jwks = { keys: [{ ...signer.jwk, kid: signer.keyId, alg: 'EdDSA', use: 'sig' }] }
  })

  test('verifies offline what signReport signed, and signs the same text twice', async () => {
    const jws = await signReport(report(), signer)
    expect(await signReport(report(), signer)).toBe(jws)
    expect(await openReport(jws, jwks)).toEqual({ ok: true, value: report() })
  })

  test('refuses one flipped byte anywhere', async () => {
    const jws = await signReport(report(), signer)
    for (const share of [0.001, 0.1, 0.5, 0.9, 0.9999]) {
      const at = Math.floor(jws.length * share)
      const flipped = String.fromCharCode(jws.charCodeAt(at) ^ 1)
      const text = jws.slice(0, at) + flipped + jws.slice(at + 1)
      expect(await openReport(text, jwks)).toMatchObject({ error: { slug: 'signature-invalid' } })
    }
  })

  test('refuses a key that the service does not list, or lists under another id', async () => {
    const mallory = await signerOf(MALLORY)
    const jws = await signReport(report(), mallory)
    expect(await openReport(jws, jwks)).toMatchObject({ error: { slug: 'signature-invalid' } })
    const mislabelled: Jwks = {
      keys: [{ ...signer.jwk, kid: mallory.keyId, alg: 'EdDSA', use: 'sig' }],
    }
    expect(await openReport(jws, mislabelled)).toMatchObject({
      error: { slug: 'signature-invalid' },
    })
    expect(await openReport(jws, { keys: [] })).toMatchObject({
      error: { slug: 'signature-invalid' },
    })
  })
})
