import { beforeAll, describe, expect, test } from 'vitest'
import { toBase64url } from '../../src/protocol/base64url.ts'
import { EMPTY_SHA256, sha256Hex } from '../../src/protocol/digest.ts'
import { signProof } from '../../src/protocol/jws.ts'
import { expectProblem } from './problems.ts'
import { ORIGIN } from './secrets.ts'
import { newJti, newSigner, patchesOf, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

const PATH = '/v1/submissions'

let world: World
let vendor: Vendor
beforeAll(async () => {
  world = await openWorld()
  vendor = await Vendor.join(world, 'Acme')
})

const ask = (token: string, path = PATH) =>
  world.fetch(path, { headers: { authorization: `Bearer ${token}` } })

const encode = (value: unknown) => toBase64url(new TextEncoder().encode(JSON.stringify(value)))

/** A token with any header and claims, signed by the vendor's real key. */
async function sign(header: unknown, claims: unknown): Promise<string> {
  const input = `${encode(header)}.${encode(claims)}`
  const bytes = new TextEncoder().encode(input)
  const signature = await crypto.subtle.sign('Ed25519', vendor.signer.key, bytes)
  return `${input}.${toBase64url(new Uint8Array(signature))}`
}

const honestClaims = () => ({
  iss: vendor.signer.keyId,
  aud: ORIGIN,
  htm: 'GET',
  htu: PATH,
  body: EMPTY_SHA256,
  iat: vendor.seconds,
  exp: vendor.seconds + 60,
  jti: newJti(),
})

const withHeader = (header: unknown) => sign(header, honestClaims())

const honestHeader = () => ({ alg: 'EdDSA', typ: 'failmap-request+jwt', kid: vendor.signer.keyId })

describe('a request token', () => {
  test('is accepted once when it is honest', async () => {
    expect((await vendor.get(PATH)).status).toBe(200)
    expect((await ask(await withHeader(honestHeader()))).status).toBe(200)
  })

  test('J01 refuses alg none and an empty signature', async () => {
    const [, payload] = (await vendor.token('GET', PATH, EMPTY_SHA256)).split('.')
    const none = encode({ ...honestHeader(), alg: 'none' })
    await expectProblem(await ask(`${none}.${payload}.`), 'token-invalid')
    await expectProblem(await ask(`${encode(honestHeader())}.${payload}.`), 'token-invalid')
    await expectProblem(
      await ask(await withHeader({ ...honestHeader(), alg: 'none' })),
      'token-invalid',
    )
  })

  test('J02 refuses HS256 keyed with the public key bytes', async () => {
    const [, payload] = (await vendor.token('GET', PATH, EMPTY_SHA256)).split('.')
    const header = encode({ ...honestHeader(), alg: 'HS256' })
    const secret = new TextEncoder().encode(vendor.signer.jwk.x)
    const hmac = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', secret, hmac, false, ['sign'])
    const input = new TextEncoder().encode(`${header}.${payload}`)
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, input))
    await expectProblem(await ask(`${header}.${payload}.${toBase64url(mac)}`), 'token-invalid')
  })

  test('J03 refuses every strange kid with one constant answer', async () => {
    const stranger = await newSigner()
    const kids = [
      '../../etc/passwd',
      "' OR 1=1 --",
      'https://evil.test/key',
      'k'.repeat(65_536),
      '',
      stranger.keyId,
    ]
    const answers = new Set<string>()
    for (const kid of kids) {
      const problem = await expectProblem(
        await ask(await withHeader({ ...honestHeader(), kid })),
        'token-invalid',
      )
      answers.add(JSON.stringify({ ...problem, instance: '' }))
    }
    expect(answers.size).toBe(1)
  })

  test('J04 J05 refuses headers that bring their own key or criticality', async () => {
    const { jwk } = vendor.signer
    const extras = [
      { jwk },
      { jku: 'https://evil.test/jwks.json' },
      { x5u: 'https://evil.test/cert' },
      { x5c: ['AAAA'] },
      { crit: ['exp'] },
      { b64: false, crit: ['b64'] },
      { typ: 'failmap-manifest+jwt' },
      { typ: 'JWT' },
    ]
    for (const extra of extras) {
      await expectProblem(
        await ask(await withHeader({ ...honestHeader(), ...extra })),
        'token-invalid',
      )
    }
  })

  test('J06 refuses JSON serialisation', async () => {
    const [protectedHeader, payload, signature] = (
      await vendor.token('GET', PATH, EMPTY_SHA256)
    ).split('.')
    const json = JSON.stringify({ payload, protected: protectedHeader, signature })
    await expectProblem(await ask(json), 'token-invalid')
    await expectProblem(
      await ask(encode({ payload, signature, header: { alg: 'EdDSA' } })),
      'token-invalid',
    )
  })

  test('J07 CL-160 says that clocks differ, with both times', async () => {
    const now = vendor.seconds
    const early = { iat: now + 3600, exp: now + 3700 }
    const late = { iat: now - 3600, exp: now - 3400 }
    for (const claims of [early, late]) {
      const problem = await expectProblem(
        await vendor.send('GET', PATH, undefined, claims),
        'clock-skew',
      )
      expect(problem.detail).toMatch(/2026-11-\d\dT.*2026-11-18T11:06:40Z/)
    }
  })

  test('CL-160 accepts a clock 90 seconds off in both directions', async () => {
    const now = vendor.seconds
    for (const shift of [90, -90]) {
      const claims = { iat: now + shift, exp: now + shift + 60 }
      expect((await vendor.send('GET', PATH, undefined, claims)).status).toBe(200)
    }
  })

  test('J07 refuses missing claims and a lifetime of hours', async () => {
    for (const name of Object.keys(honestClaims())) {
      const token = await sign(honestHeader(), { ...honestClaims(), [name]: undefined })
      await expectProblem(await ask(token), 'token-invalid')
    }
    const more = await sign(honestHeader(), { ...honestClaims(), admin: true })
    await expectProblem(await ask(more), 'token-invalid')
    const long = { iat: vendor.seconds, exp: vendor.seconds + 7200 }
    await expectProblem(await vendor.send('GET', PATH, undefined, long), 'token-invalid')
  })

  test('J08 is accepted once', async () => {
    const token = await vendor.token('GET', PATH, EMPTY_SHA256)
    expect((await ask(token)).status).toBe(200)
    await expectProblem(await ask(token), 'token-replayed')
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => vendor.token('GET', PATH, EMPTY_SHA256)).map(async (made) => {
        const twice = await made
        const pair = await Promise.all([ask(twice), ask(twice)])
        return pair.map(({ status }) => status).sort()
      }),
    )
    for (const pair of answers) expect(pair).toEqual([200, 409])
  })

  test('J08 refuses a token for another environment, and names both addresses', async () => {
    const claims = { aud: 'https://staging.failmap.test' }
    const problem = await expectProblem(
      await vendor.send('GET', PATH, undefined, claims),
      'token-invalid',
    )
    expect(problem.detail).toContain('https://staging.failmap.test')
    expect(problem.detail).toContain(ORIGIN)
  })

  test('refuses another method, path or query', async () => {
    await expectProblem(await ask(await vendor.token('POST', PATH, EMPTY_SHA256)), 'token-invalid')
    await expectProblem(
      await ask(await vendor.token('GET', '/v1/keys', EMPTY_SHA256)),
      'token-invalid',
    )
    await expectProblem(
      await ask(await vendor.token('GET', PATH, EMPTY_SHA256), `${PATH}?limit=1`),
      'token-invalid',
    )
  })

  test('J09 refuses a valid signature over another body, and does not use up the token', async () => {
    const body = JSON.stringify({ manifest: 'a.b.c' })
    const token = await vendor.token('POST', PATH, await sha256Hex(body))
    const send = (sent: string) =>
      world.fetch(PATH, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: sent,
      })
    await expectProblem(await send(body.replace('a.b', 'a.x')), 'token-invalid')
    await expectProblem(await send(body), 'signature-invalid')
  })

  test('refuses a flipped byte anywhere in it', async () => {
    const token = await vendor.token('GET', PATH, EMPTY_SHA256)
    for (let at = 0; at < token.length; at += 7) {
      if (token[at] === '.') continue
      const flipped = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
      await expectProblem(await ask(flipped), 'token-invalid')
    }
    expect((await ask(token)).status).toBe(200)
  })
})

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
    const { signManifest } = await import('../../src/protocol/jws.ts')
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
