import { applyD1Migrations, env, reset } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import type { WorkMessage } from '../../src/protocol/shard.ts'
import { handleCron } from '../../src/worker/jobs.ts'
import { problem } from './fake-sandbox.ts'
import { nonsense } from './nonsense.ts'
import { newSigner, patchesOf, Vendor } from './vendor.ts'
import { DEAD_QUEUE, openWorld, type World } from './world.ts'

let world: World
let vendor: Vendor
beforeAll(async () => {
  world = await openWorld()
  vendor = await Vendor.join(world, 'Acme')
})

/** A submission whose messages are taken from the queue, to be delivered by the test. */
async function received(): Promise<{ id: string; messages: WorkMessage[] }> {
  world.queue.length = 0
  const id = await vendor.submit(world.epochs.open)
  return { id, messages: world.queue.splice(0).map(({ body }) => body) }
}

const talliesOf = async (id: string) =>
  (await env.DB.prepare('SELECT category FROM tallies WHERE submission = ?').bind(id).all()).results

describe('the same submission', () => {
  const both = (messages: WorkMessage[]) => [messages]
  const schedules: Record<string, (messages: WorkMessage[]) => WorkMessage[][]> = {
    'in order': both,
    'backwards, one by one': (messages) => messages.toReversed().map((message) => [message]),
    'each twice in one batch': (messages) => messages.map((message) => [message, message]),
    'all, and all once more': (messages) => [messages, messages],
    'the last one first, then everything': (messages) => [messages.slice(-1), messages, messages],
  }

  test('Q01 gives the identical report for repeated, reordered and parallel messages', async () => {
    const signer = await newSigner()
    const reports = new Map<string, string>()
    for (const [name, schedule] of Object.entries(schedules)) {
      await reset()
      await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
      let drawn = 0
      const random = (bytes: number) => {
        drawn += 1
        return new Uint8Array(bytes).fill(drawn)
      }
      const fresh = await openWorld(() => ({ random }))
      const owner = new Vendor(fresh, signer)
      const registered: { organisation: string } = await (await owner.register('Acme')).json()
      owner.organisation = registered.organisation
      const patches = patchesOf(fresh.epochs.open)
      const manifest = await owner.manifest(fresh.epochs.open, patches, { jti: 'A'.repeat(22) })
      const opened: { submission: string } = await (await owner.open(manifest)).json()
      await owner.upload(opened.submission, patches)

      const messages = fresh.queue.splice(0).map(({ body }) => body)
      for (const batch of schedule(messages)) await fresh.deliver(batch)
      const closes = fresh.queue.splice(0).map(({ body }) => body)
      expect(closes.length).toBeGreaterThan(0)
      await Promise.all([fresh.deliver(closes), fresh.deliver(closes)])
      await fresh.deliver(closes)
      const { report } = await owner.view(opened.submission)
      reports.set(name, await (await fresh.fetch(`/v1/reports/${report}.jws`)).text())
    }
    expect([...new Set(reports.values())]).toHaveLength(1)
    expect([...reports.values()][0]).toMatch(/^ey/)
    await reset()
    await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
    world = await openWorld()
    vendor = await Vendor.join(world, 'Acme')
  })
})

describe('a shard', () => {
  test('Q02 CL-195 that loses its sandbox waits, uses up no delivery, and is judged in the end', async () => {
    const { id, messages } = await received()
    let down = 3
    world.sandbox.respond = () => {
      down -= 1
      if (down >= 0) throw new TypeError('Network connection lost.')
      return undefined
    }
    expect(await world.deliver(messages.slice(0, 2))).toEqual([true, true])
    expect(world.queue).toEqual(messages.slice(0, 2).map((body) => ({ body, delaySeconds: 15 })))
    const asked = down
    await world.deliver(messages.slice(2))
    expect(down).toBe(asked)
    expect(await talliesOf(id)).toHaveLength(0)
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('Q02 whose sandbox dies with it in hand is counted, and comes again', async () => {
    const { id, messages } = await received()
    world.sandbox.respond = () => {
      world.clock.advance(5)
      throw new TypeError('Network connection lost.')
    }
    expect(await world.deliver(messages)).toEqual([false, false, false, false])
    expect(world.queue).toEqual([])
    world.sandbox.respond = () => undefined
    await world.deliver(messages)
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('CL-193 waits while no instance is free', async () => {
    const { id, messages } = await received()
    for (const reply of [
      problem('busy', 503),
      new Response('no instance', { status: 503 }),
      new Response(null, { status: 429 }),
    ]) {
      world.sandbox.respond = () => reply.clone()
      expect(await world.deliver(messages.slice(0, 1))).toEqual([true])
      expect(world.queue.splice(0)).toHaveLength(1)
      world.clock.advance(15)
    }
    world.sandbox.respond = () => undefined
    expect(await vendor.view(id)).toMatchObject({ state: 'judging', shards: { total: 4, done: 0 } })
  })

  const refusals: [string, () => Response][] = [
    ['Q03 another corpus', () => problem('corpus-mismatch', 409)],
    ['Q03 another protocol', () => problem('protocol-mismatch', 409)],
    ['failed controls', () => problem('quarantined', 503)],
    ['a broken sandbox', () => problem('internal', 500)],
    ['a wrong token', () => problem('unauthorized', 401)],
    ['a page of a proxy', () => new Response('<html>', { status: 200 })],
    ['an endless reply', () => new Response('x'.repeat(400_000))],
    ['an address elsewhere', () => Response.redirect('https://elsewhere.test/shards', 307)],
  ]
  for (const [what, reply] of refusals) {
    test(`is retried and never scored: ${what}`, async () => {
      const { id, messages } = await received()
      world.sandbox.respond = reply
      expect(await world.deliver(messages)).toEqual([false, false, false, false])
      expect(await talliesOf(id)).toHaveLength(0)
      world.sandbox.respond = () => undefined
    })
  }

  test.each(nonsense)('Q07 is quarantined when the sandbox answers %s', async (_, change) => {
    const { id, messages } = await received()
    world.sandbox.respond = (request) =>
      Response.json(change(world.sandbox.tally(request), request))
    expect(await world.deliver(messages)).toEqual([false, false, false, false])
    expect(await talliesOf(id)).toHaveLength(0)
    world.sandbox.respond = () => undefined
    await world.deliver(messages)
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('CL-182 is settled on its own when its neighbours fail', async () => {
    const { id, messages } = await received()
    const [first, second, third, fourth] = messages
    const batch = [
      first,
      { v: 1, kind: 'shard' },
      second,
      { ...third, digest: '0'.repeat(64) },
      { v: 2 },
      fourth,
    ]
    expect(await world.deliver(batch)).toEqual([true, false, true, false, false, true])
    expect(await talliesOf(id)).toHaveLength(3)
    await world.deliver([third])
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('of a submission that has ended changes nothing', async () => {
    const { id, messages } = await received()
    await world.deliver(messages)
    await world.drain()
    const before = await vendor.view(id)
    const asked = world.sandbox.requests.length
    expect(await world.deliver([...messages, { v: 1, kind: 'close', submission: id }])).toEqual(
      Array(5).fill(true),
    )
    expect(world.sandbox.requests).toHaveLength(asked)
    expect(await vendor.view(id)).toEqual(before)
  })
})

describe('retries exhausted', () => {
  test.each([
    ['quarantined', 503, 'controls_failed'],
    ['corpus-mismatch', 409, 'versions_differ'],
    ['internal', 500, 'sandbox_failed'],
  ])(
    'Q04 CL-148 CL-152 ends in a row and an incomplete submission: %s',
    async (slug, status, reason) => {
      const { id, messages } = await received()
      const [first, ...others] = messages
      world.sandbox.respond = () => problem(slug, status)
      await world.deliver([first], { attempts: 6 })
      world.sandbox.respond = () => undefined
      expect(await world.deliver([first], { queue: DEAD_QUEUE })).toEqual([true])
      const rows = await env.DB.prepare('SELECT body FROM dead_letters WHERE body LIKE ?')
        .bind(`%${id}%`)
        .all()
      expect(rows.results).toHaveLength(1)

      await world.deliver(others)
      await world.drain()
      const view = await vendor.view(id)
      expect(view).toMatchObject({ state: 'incomplete', reason })
      expect(view).not.toHaveProperty('report')
      expect((await world.fetch(`/v1/reports/rpt_${id.slice(4)}`)).status).toBe(404)
    },
  )

  test('of a twin whose shard was judged end nothing', async () => {
    const { id, messages } = await received()
    await world.deliver(messages)
    await world.deliver(messages.slice(0, 1), { queue: DEAD_QUEUE })
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('of an unknown message keep a row without its text', async () => {
    await world.deliver([{ secret: 'MARKER-7f3a' }], { queue: DEAD_QUEUE })
    const rows = await env.DB.prepare(
      "SELECT body FROM dead_letters WHERE body LIKE '%unknown%'",
    ).all()
    expect(rows.results).toEqual([{ body: '{"unknown":true}' }])
    expect(world.logged.join()).not.toContain('MARKER')
  })
})

describe('the unknown', () => {
  test('queue and cron throw and touch nothing', async () => {
    const { id, messages } = await received()
    await expect(world.deliver(messages, { queue: 'other-queue' })).rejects.toThrow('unknown queue')
    await expect(handleCron('0 0 * * *', world.deps)).rejects.toThrow('unknown cron')
    expect(await talliesOf(id)).toHaveLength(0)
  })
})
