import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sha256Hex } from '../../src/protocol/digest.ts'
import { epochListSchema, epochViewSchema } from '../../src/protocol/epoch.ts'
import { commitmentOf, readRootKey } from '../../src/protocol/epoch-keys.ts'
import { healthSchema } from '../../src/protocol/health.ts'
import { openReport } from '../../src/protocol/jws.ts'
import { jwksSchema } from '../../src/protocol/keys.ts'
import { submissionListSchema, submissionViewSchema } from '../../src/protocol/submission.ts'
import { sampleEpoch } from './epoch-sample.ts'
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

describe('GET /v1/epochs', () => {
  test('lists epochs with their prompts stored, newest first', async () => {
    const { epochs } = epochListSchema.parse(await (await world.fetch('/v1/epochs')).json())
    expect(epochs.map(({ id }) => id)).toEqual(['live-1', 'open-1', 'room-1'])
  })
})

describe('GET /v1/epochs/{id}', () => {
  test('answers the card, and the root key of an open epoch only', async () => {
    const read = async (id: string) =>
      epochViewSchema.parse(await (await world.fetch(`/v1/epochs/${id}`)).json())
    expect((await read('open-1')).root).toMatch(/^[\w-]{43}$/)
    expect((await read('live-1')).root).toBeNull()
    expect((await read('room-1')).root).toBeNull()
    expect((await read('live-1')).release_at).not.toBeNull()
  })

  test('refuses an epoch that does not exist', async () => {
    await expectProblem(await world.fetch('/v1/epochs/nobody'), 'not-found')
    await expectProblem(await world.fetch('/v1/epochs/..%2f..%2fetc'), 'not-found')
  })
})

describe('GET /v1/epochs/{id}/prompts', () => {
  test('streams the very bytes and knows them by their digest', async () => {
    const { draft, prompts } = world.epochs.open
    const reply = await world.fetch('/v1/epochs/open-1/prompts')
    expect(await reply.text()).toBe(prompts)
    expect(reply.headers.get('etag')).toBe(`"${draft.drawing.prompts.sha256}"`)
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson')
    const again = await world.fetch('/v1/epochs/open-1/prompts', {
      headers: { 'if-none-match': `"${draft.drawing.prompts.sha256}"` },
    })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  test('refuses an epoch that is not open yet', async () => {
    const early = await openWorld()
    early.clock.advance(-20 * 86_400)
    await expectProblem(await early.fetch('/v1/epochs/open-1/prompts'), 'epoch-not-open')
    const view = epochViewSchema.parse(await (await early.fetch('/v1/epochs/open-1')).json())
    expect(view).toMatchObject({ phase: 'upcoming', root: null })
  })
})

describe('PUT /v1/epochs/{id}', () => {
  const put = (id: string, draft: unknown) =>
    world.operator(`/v1/epochs/${id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(draft),
    })

  test('answers the same epoch to the same put', async () => {
    expect((await put('open-1', world.epochs.open.draft)).status).toBe(200)
  })

  test('never changes an epoch', async () => {
    const draft = { ...world.epochs.open.draft, title: 'Another title' }
    await expectProblem(await put('open-1', draft), 'epoch-exists')
  })

  test('refuses a drawing that is not committed to the deployed root key', async () => {
    const { draft } = world.epochs.open
    const drawing = { ...draft.drawing, epoch: 'full-1' }
    const problem = await expectProblem(await put('full-1', { ...draft, drawing }), 'body-invalid')
    expect(problem.errors).toEqual([expect.objectContaining({ pointer: '/drawing/commitment' })])
  })

  test('refuses an epoch without a root key, or of another path', async () => {
    const { draft } = world.epochs.open
    await expectProblem(await put('live-1', draft), 'body-invalid')
    const drawing = { ...draft.drawing, epoch: 'nokey-1' }
    await expectProblem(await put('nokey-1', { ...draft, drawing }), 'body-invalid')
  })
})

describe('PUT /v1/epochs/{id}/prompts', () => {
  const put = (id: string, body: string) =>
    world.operator(`/v1/epochs/${id}/prompts`, {
      method: 'PUT',
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    })

  test('stores the same bytes twice as once, and nothing for an unknown epoch', async () => {
    expect((await put('open-1', world.epochs.open.prompts)).status).toBe(200)
    await expectProblem(await put('nobody', world.epochs.open.prompts), 'not-found')
  })

  test('refuses other bytes, another order, a missing task and a member that is not public', async () => {
    const sample = await sampleEpoch('full-1', 'open')
    const lines = sample.prompts.trimEnd().split('\n')
    const [first = '', second = '', ...rest] = lines
    const wrong = {
      'other bytes': { shown: sample.prompts, sent: sample.prompts.replace('Repair', 'Mend it') },
      'another order': [second, first, ...rest],
      'a hidden check': [first.replace('{', '{"hidden":[1],'), second, ...rest],
      'a wrong part': lines.map((line) => line.replace('"practice"', '"sealed"')),
    }
    for (const [what, made] of Object.entries(wrong)) {
      const { shown, sent } = Array.isArray(made) ? { shown: text(made), sent: text(made) } : made
      const root = world.deps.settings.epochKeys.get('full-1') ?? ''
      const id = `bad-${what.replaceAll(' ', '-')}`
      const other = await openWorld(({ settings }) => ({
        settings: { ...settings, epochKeys: new Map([...settings.epochKeys, [id, root]]) },
      }))
      const drawing = {
        ...sample.draft.drawing,
        epoch: id,
        prompts: { ...sample.draft.drawing.prompts, sha256: await sha256Hex(shown) },
        commitment: await commitmentOf(id, readRootKey(root) ?? new Uint8Array()),
      }
      const card = await other.operator(`/v1/epochs/${id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...sample.draft, drawing }),
      })
      expect(card.status, what).toBe(201)
      const path = `/v1/epochs/${id}/prompts`
      const headers = { 'content-type': 'application/x-ndjson' }
      await expectProblem(
        await other.operator(path, { method: 'PUT', headers, body: sent }),
        'prompts-mismatch',
      )
      await expectProblem(await other.fetch(path), 'epoch-not-open')
    }
  })
})

const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('')

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
          return { ok: false, error: { kind: 'waiting', why: 'unreachable' } }
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
