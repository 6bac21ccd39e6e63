import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { healthSchema } from '../../src/protocol/health.ts'
import { openReport } from '../../src/protocol/jws.ts'
import { jwksSchema } from '../../src/protocol/keys.ts'
import { submissionListSchema, submissionViewSchema } from '../../src/protocol/submission.ts'
import { expectProblem } from './problems.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

let world: World
let vendor: Vendor
beforeAll(async () => {
  world = await openWorld()
  vendor = await Vendor.join(world, 'Acme')
})

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({ security: z.array(z.record(z.string(), z.unknown())).optional() }),
    ),
  ),
})

/** Every operation of the OpenAPI document that asks who calls. */
async function guarded(scheme: 'requestToken' | 'operatorToken') {
  const reply = await world.fetch('/openapi.json')
  const { paths } = documentSchema.parse(await reply.json())
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security?.every((need) => scheme in need))
      .map(([method]) => ({
        method: method.toUpperCase(),
        path: path.replace('{id}', path.includes('epochs') ? 'open-1' : `sub_${'0'.repeat(40)}`),
      })),
  )
}

describe('every guarded route', () => {
  test('refuses a request without a token', async () => {
    const routes = await guarded('requestToken')
    expect(routes.length).toBeGreaterThanOrEqual(6)
    for (const { method, path } of routes) {
      const headers = {
        'content-type': path.endsWith('patches') ? 'application/x-ndjson' : 'application/json',
      }
      const body = method === 'GET' || method === 'DELETE' ? null : '{}'
      await expectProblem(await world.fetch(path, { method, headers, body }), 'token-missing')
    }
  })

  test('refuses a token that is none', async () => {
    for (const { method, path } of await guarded('requestToken')) {
      for (const token of [
        'x',
        'Bearer',
        'Bearer a.b.c',
        'Basic YTpi',
        `Bearer ${'a'.repeat(70_000)}`,
      ]) {
        const headers = { authorization: token, 'content-type': 'application/x-ndjson' }
        const body = method === 'GET' || method === 'DELETE' ? null : '{}'
        await expectProblem(await world.fetch(path, { method, headers, body }), 'token-invalid')
      }
    }
  })

  test('refuses a stranger in the place of the operator', async () => {
    const routes = await guarded('operatorToken')
    expect(routes).toHaveLength(2)
    for (const { method, path } of routes) {
      for (const authorization of ['', 'Bearer wrong', 'Bearer operator-token-of-the-test']) {
        const headers = { authorization, 'content-type': 'application/x-ndjson' }
        await expectProblem(
          await world.fetch(path, { method, headers, body: '{}' }),
          'unauthorized',
        )
      }
    }
  })
})

describe('POST /v1/keys', () => {
  test('founds an organisation, and answers the same to the same request again', async () => {
    const again = await vendor.register('Acme')
    expect(again.status).toBe(200)
    expect(await again.json()).toMatchObject({ organisation: vendor.organisation })
  })

  test('refuses the key for another organisation', async () => {
    await expectProblem(await vendor.register('Evil'), 'key-taken')
    await expectProblem(await vendor.register(), 'key-taken')
  })
})

describe('submissions', () => {
  test('travel from manifest to a signed report that verifies', async () => {
    const id = await vendor.submit(world.epochs.open)
    const judging = submissionViewSchema.parse(await vendor.view(id))
    expect(judging).toMatchObject({ state: 'judging', shards: { total: 4, done: 0 } })
    await world.drain()
    const scored = submissionViewSchema.parse(await vendor.view(id))
    expect(scored).toMatchObject({ state: 'scored', shards: { total: 4, done: 4 } })

    const json = await world.fetch(`/v1/reports/${scored.report}`)
    const jws = await world.fetch(`/v1/reports/${scored.report}.jws`)
    const jwks = jwksSchema.parse(await (await world.fetch('/.well-known/jwks.json')).json())
    const report = await openReport(await jws.text(), jwks)
    expect(report.ok && report.value).toEqual(await json.json())
    expect(report.ok && report.value.overall).toMatchObject({
      shown: true,
      tasks: 16,
      answered: 16,
    })

    const list = submissionListSchema.parse(await (await vendor.get('/v1/submissions')).json())
    expect(list.submissions[0]).toEqual(scored)
  })

  test('can be withdrawn before their patches came, and not later', async () => {
    const patches = patchesOf(world.epochs.open)
    const manifest = await vendor.manifest(world.epochs.open, patches)
    const opened: { submission: string } = await (await vendor.open(manifest)).json()
    const path = `/v1/submissions/${opened.submission}`
    expect((await vendor.send('DELETE', path)).status).toBe(200)
    expect(await vendor.view(opened.submission)).toMatchObject({
      state: 'cancelled',
      reason: 'withdrawn',
    })
    await expectProblem(await vendor.upload(opened.submission, patches), 'submission-state')
    expect((await vendor.send('DELETE', path)).status).toBe(200)

    const id = await vendor.submit(world.epochs.open)
    await expectProblem(await vendor.send('DELETE', `/v1/submissions/${id}`), 'submission-state')
  })
})

describe('the service', () => {
  test('GET /health tells versions, clock and isolation', async () => {
    const health = healthSchema.parse(await (await world.fetch('/health')).json())
    expect(health).toMatchObject({
      status: 'ok',
      time: vendor.seconds,
      sandbox: { isolation: { profile: 'S' } },
    })
  })

  test('GET /health is degraded while the sandbox is away, and asks it rarely', async () => {
    let asked = 0
    const away = await openWorld(() => ({
      sandbox: {
        judge: () => Promise.reject(new Error('not used')),
        health: async () => {
          asked += 1
          return { ok: false, error: { kind: 'away', why: 'unreachable' } }
        },
      },
    }))
    for (let round = 0; round < 3; round += 1) {
      expect(await (await away.fetch('/health')).json()).toMatchObject({
        status: 'degraded',
        sandbox: null,
      })
    }
    expect(asked).toBe(1)
  })

  test('answers 405 with the methods of a known path, 404 elsewhere', async () => {
    const wrong = await world.fetch('/v1/epochs', { method: 'POST' })
    expect(wrong.headers.get('allow')).toBe('GET')
    await expectProblem(wrong, 'method-not-allowed')
    await expectProblem(await world.fetch('/v1/nothing'), 'not-found')
    await expectProblem(await world.fetch('/.env'), 'not-found')
  })

  test('reads a body that nobody asked for before it refuses', async () => {
    for (const [method, path] of [
      ['PUT', '/v1/nothing'],
      ['PUT', '/v1/epochs/open-1'],
      ['PUT', '/v1/epochs/open-1/prompts'],
      ['POST', '/v1/epochs'],
      ['POST', '/v1/keys'],
    ] as const) {
      let left = 40
      const body = new ReadableStream({
        pull(controller) {
          left -= 1
          if (left === 0) controller.close()
          else controller.enqueue(new Uint8Array(100_000))
        },
      })
      const reply = await world.fetch(path, { method, body })
      expect(reply.status, path).toBeGreaterThanOrEqual(400)
      expect(left, path).toBe(0)
    }
  })

  test('serves its pages with a policy that runs no script', async () => {
    for (const path of ['/', '/epochs/open-1', '/verify', '/docs', '/problems/clock-skew']) {
      const page = await world.fetch(path)
      expect(page.status, path).toBe(200)
      expect(page.headers.get('content-security-policy'), path).toContain("default-src 'none'")
    }
    const missing = await world.fetch('/epochs/nobody')
    expect(missing.status).toBe(404)
    expect(await missing.text()).toContain('<!doctype html>')
  })
})

describe('a JSON body', () => {
  const put = (headers: Record<string, string>) =>
    world.fetch('/v1/keys', { method: 'POST', headers, body: '{}' })

  test('of a content type that the framework reads otherwise is refused, not broken on', async () => {
    for (const type of ['application/json;', 'application/json ; charset=utf-8']) {
      await expectProblem(await put({ 'content-type': type }), 'media-unsupported')
    }
    const type = 'application/json; charset=utf-8'
    await expectProblem(await put({ 'content-type': type }), 'body-invalid')
  })

  test('that is packed is refused with the reason', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const { detail } = await expectProblem(await put(headers), 'media-unsupported')
    expect(detail).toMatch(/only patches/)
  })
})

describe('what one organisation is told', () => {
  test('is kept by no cache', async () => {
    const id = await vendor.submit(world.epochs.open)
    for (const path of ['/v1/submissions', `/v1/submissions/${id}`]) {
      expect((await vendor.get(path)).headers.get('cache-control')).toBe('no-store')
    }
    const again = await vendor.upload(id, patchesOf(world.epochs.open))
    expect(again.status).toBe(200)
    expect(again.headers.get('cache-control')).toBe('no-store')
  })
})
