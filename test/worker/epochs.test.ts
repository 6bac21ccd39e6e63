import { beforeAll, describe, expect, test } from 'vitest'
import { sha256Hex } from '../../src/protocol/digest.ts'
import { epochListSchema, epochViewSchema } from '../../src/protocol/epoch.ts'
import { commitmentOf, readRootKey } from '../../src/protocol/epoch-keys.ts'
import { sampleEpoch } from './epoch-sample.ts'
import { expectProblem } from './problems.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
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
    const tag = `"${draft.drawing.prompts.sha256}"`
    const ask = (known: string) =>
      world.fetch('/v1/epochs/open-1/prompts', { headers: { 'if-none-match': known } })
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await ask(known)
      expect(again.status, known).toBe(304)
      expect(await again.text()).toBe('')
    }
    expect((await ask('"other"')).status).toBe(200)
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

  test('refuses a room in production, where anybody may register for another attempt', async () => {
    const problem = await expectProblem(
      await put('room-1', world.epochs.room.draft),
      'body-invalid',
    )
    expect(problem.errors).toEqual([expect.objectContaining({ pointer: '/kind' })])
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
