import { beforeAll, describe, expect, test } from 'vitest'
import { toBase64url } from '../../src/protocol/base64url.ts'
import { EMPTY_SHA256, sha256Hex } from '../../src/protocol/digest.ts'
import { expectProblem } from './problems.ts'
import { ORIGIN } from './secrets.ts'
import { newJti, newSigner, Vendor } from './vendor.ts'
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

  test('may come with a body by any method, as long as it is the one that was signed', async () => {
    const withBody = async (body: string) => {
      const digest = await sha256Hex('{}')
      const headers = { authorization: `Bearer ${await vendor.token('GET', PATH, digest)}` }
      const request = new Request(`${ORIGIN}${PATH}`, { method: 'POST', headers, body })
      // No Request can be made so; on the wire it is allowed.
      return Object.defineProperty(request, 'method', { value: 'GET' })
    }
    expect((await world.send(await withBody('{}'))).status).toBe(200)
    await expectProblem(await world.send(await withBody('{ }')), 'token-invalid')
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
