import { beforeAll, describe, expect, test } from 'vitest'
import { signManifest, signProof } from '../../src/protocol/jws.ts'
import { expectProblem } from './problems.ts'
import { ORIGIN } from './secrets.ts'
import { newJti, newSigner, patchesOf, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

let world: World
let vendor: Vendor
beforeAll(async () => {
  world = await openWorld()
  vendor = await Vendor.join(world, 'Acme')
})

const PATH = '/v1/submissions'

describe('a key', () => {
  test('J10 CL-164 signs nothing any more once it is revoked', async () => {
    const owner = await Vendor.join(world, 'Rotators')
    const second = await newSigner()
    const proof = await signProof(
      {
        iss: second.keyId,
        aud: ORIGIN,
        organisation: owner.organisation,
        iat: owner.seconds,
        exp: owner.seconds + 60,
        jti: newJti(),
      },
      second,
    )
    const joined = await owner.send('POST', '/v1/keys', { jwk: second.jwk, proof })
    expect(joined.status).toBe(201)
    expect(await joined.json()).toEqual({ organisation: owner.organisation, key: second.keyId })

    const successor = new Vendor(world, second)
    successor.organisation = owner.organisation
    const id = await owner.submit(world.epochs.open)
    expect((await successor.get(`${PATH}/${id}`)).status).toBe(200)

    const revoked = await successor.send('DELETE', `/v1/keys/${owner.signer.keyId}`)
    expect(revoked.status).toBe(200)
    await expectProblem(await owner.get(PATH), 'key-revoked')
    expect((await successor.get(`${PATH}/${id}`)).status).toBe(200)

    const patches = patchesOf(world.epochs.open)
    const manifest = await owner.manifest(world.epochs.open, patches)
    const jws = await signManifest(manifest, owner.signer)
    await expectProblem(await successor.send('POST', PATH, { manifest: jws }), 'key-revoked')
  })

  test('J10 signs nothing from before it was registered', async () => {
    const claims = { iat: vendor.seconds - 200, exp: vendor.seconds - 10 }
    await expectProblem(await vendor.send('GET', PATH, undefined, claims), 'token-invalid')
  })

  test('J14 CL-165 is refused when it is weak or of another kind, with what was found', async () => {
    const low = `AQ${'A'.repeat(41)}`
    const bad: [unknown, RegExp][] = [
      [{ kty: 'OKP', crv: 'Ed25519', x: low }, /low order/],
      [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }, /low order/],
      [{ kty: 'OKP', crv: 'Ed25519', x: `7${'_'.repeat(41)}8` }, /canonical|curve|base64url/],
      [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }, /found RSA/],
      [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, /found EC\/P-256/],
      [{ ...vendor.signer.jwk, d: 'A'.repeat(43) }, /private key/],
    ]
    for (const [jwk, words] of bad) {
      const problem = await expectProblem(
        await world.fetch('/v1/keys', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ jwk, proof: 'a.b.c' }),
        }),
        'key-invalid',
      )
      expect(problem.detail).toMatch(words)
      expect(problem.detail).not.toContain('AAAAAAAA')
    }
  })

  test('is registered only by who holds the private half, for the organisation that was meant', async () => {
    const signer = await newSigner()
    const thief = await newSigner()
    const prove = (by: typeof signer, change = {}) =>
      signProof(
        {
          iss: signer.keyId,
          aud: ORIGIN,
          organisation: 'Acme Two',
          iat: vendor.seconds,
          exp: vendor.seconds + 60,
          jti: newJti(),
          ...change,
        },
        by,
      )
    const post = async (proof: string, organisation = 'Acme Two') =>
      world.fetch('/v1/keys', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ organisation, jwk: signer.jwk, proof }),
      })
    await expectProblem(await post(await prove(thief)), 'signature-invalid')
    await expectProblem(await post(await prove(signer), 'Evil'), 'signature-invalid')
    await expectProblem(
      await post(await prove(signer, { aud: 'https://evil.test' })),
      'signature-invalid',
    )
    await expectProblem(
      await post(await prove(signer, { organisation: null })),
      'signature-invalid',
    )
    const proof = await prove(signer)
    expect((await post(proof)).status).toBe(201)
    await expectProblem(await post(proof), 'token-replayed')
  })

  test('T24 shares the budget and the submissions of its organisation, and no other', async () => {
    const stranger = await Vendor.join(world, 'Stranger')
    await expectProblem(
      await stranger.send('DELETE', `/v1/keys/${vendor.signer.keyId}`),
      'not-found',
    )
  })
})
