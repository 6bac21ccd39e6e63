import { env } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

describe('the sweep', () => {
  const messagesOf = (world: World, id: string) =>
    world.queue.filter(({ body }) => body.submission === id)

  test('CL-154 queues lost shards again after five silent minutes, with growing patience', async () => {
    const world = await openWorld()
    const vendor = await Vendor.join(world, 'Lost')
    const id = await vendor.submit(world.epochs.open)
    const messages = world.queue.splice(0).map(({ body }) => body)
    await world.deliver(messages.slice(0, 1))
    world.queue.length = 0

    await world.sweep()
    expect(messagesOf(world, id)).toHaveLength(0)
    world.clock.advance(301)
    await world.sweep()
    expect(messagesOf(world, id)).toHaveLength(3)
    world.queue.length = 0
    world.clock.advance(301)
    await world.sweep()
    expect(messagesOf(world, id)).toHaveLength(0)
    world.clock.advance(301)
    await world.sweep()
    expect(messagesOf(world, id)).toHaveLength(3)
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored', shards: { total: 4, done: 4 } })
  })

  test('CL-193 takes a submission that waits for a sandbox for alive', async () => {
    const world = await openWorld()
    const vendor = await Vendor.join(world, 'Waiting')
    const id = await vendor.submit(world.epochs.open)
    world.sandbox.respond = () => {
      throw new TypeError('Network connection lost.')
    }
    for (let minute = 0; minute < 12; minute += 1) {
      await world.deliver(world.queue.splice(0).map(({ body }) => body))
      await world.sweep()
      expect(messagesOf(world, id)).toHaveLength(4)
      world.clock.advance(60)
    }
    expect(world.sandbox.requests.length).toBeLessThanOrEqual(4 * 12)
    world.sandbox.respond = () => undefined
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('recovers when the queue failed at the upload, and when the close was lost', async () => {
    let failing = true
    const world = await openWorld(({ work }) => ({
      work: {
        send: (messages, delay) =>
          failing ? Promise.reject(new Error('queue is down')) : work.send(messages, delay),
      },
    }))
    const vendor = await Vendor.join(world, 'Queueless')
    const id = await vendor.submit(world.epochs.open)
    expect(await vendor.view(id)).toMatchObject({ state: 'received' })
    failing = false
    world.clock.advance(301)
    await world.sweep()
    await world.deliver(world.queue.splice(0).map(({ body }) => body))
    world.queue.length = 0
    expect(await vendor.view(id)).toMatchObject({ state: 'judging', shards: { done: 4 } })
    world.clock.advance(301)
    await world.sweep()
    expect(messagesOf(world, id)).toEqual([{ body: { v: 1, kind: 'close', submission: id } }])
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('CL-154 ends a submission without progress for a day, and gives its place back', async () => {
    const world = await openWorld()
    const vendor = await Vendor.join(world, 'Stuck')
    const id = await vendor.submit(world.epochs.room)
    world.queue.length = 0
    world.clock.advance(86_400 + 1)
    await world.sweep()
    expect(await vendor.view(id)).toMatchObject({ state: 'incomplete', reason: 'sandbox_failed' })
    const patches = patchesOf(world.epochs.room)
    expect((await vendor.open(await vendor.manifest(world.epochs.room, patches))).status).toBe(201)
  })

  test('ends a submission whose patches never came, and removes patches that have served', async () => {
    const world = await openWorld()
    const vendor = await Vendor.join(world, 'Forgetful')
    const patches = patchesOf(world.epochs.open)
    const opened: { submission: string } = await (
      await vendor.open(await vendor.manifest(world.epochs.open, patches))
    ).json()
    const id = await vendor.submit(world.epochs.open)
    await world.drain()
    for (let day = 0; day < 120; day += 1) {
      world.clock.advance(86_400)
      await world.sweep()
    }
    expect(await vendor.view(opened.submission)).toMatchObject({
      state: 'cancelled',
      reason: 'upload_abandoned',
    })
    expect((await env.BLOBS.list({ prefix: `uploads/${id}/` })).objects).toHaveLength(0)
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })
})

describe('many submissions at once', () => {
  test('CL-196 are all scored, in whatever order their shards come', async () => {
    const world = await openWorld()
    const vendors = await Promise.all(
      Array.from({ length: 5 }, (_, index) => Vendor.join(world, `V${index}`)),
    )
    const ids: { vendor: Vendor; id: string }[] = []
    for (const vendor of vendors) {
      for (let round = 0; round < 4; round += 1) {
        ids.push({ vendor, id: await vendor.submit(world.epochs.open) })
      }
    }
    world.queue.sort((a, b) => JSON.stringify(a.body).localeCompare(JSON.stringify(b.body)))
    await world.drain()
    for (const { vendor, id } of ids)
      expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })
})
