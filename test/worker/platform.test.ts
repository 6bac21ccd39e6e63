import { abortAllDurableObjects, env, evictAllDurableObjects } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../src/worker/deps.ts'
import { callByName } from '../../src/worker/durable/stub.ts'
import { openBlobs } from '../../src/worker/store/blobs.ts'
import { openDatabase } from '../../src/worker/store/database.ts'
import { insist } from '../../src/worker/store/resilient.ts'
import { flakyDatabase, watchedBucket } from './flaky.ts'
import { expectProblem } from './problems.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { DEAD_QUEUE, openWorld } from './world.ts'

const atOnce = async () => undefined
const rowsOf = async (table: string, id: string) =>
  (await env.DB.prepare(`SELECT * FROM ${table} WHERE submission = ?`).bind(id).all()).results

describe('D1', () => {
  test('CL-179 that loses every answer once leaves exactly one row of everything', async () => {
    const seen = new Set<number>()
    const { database, calls } = flakyDatabase(env.DB, (call) => {
      // Each odd call is lost after it happened; its repetition is the even one.
      if (call % 2 === 0) return false
      seen.add(call)
      return true
    })
    const world = await openWorld(() => ({ db: openDatabase(database, atOnce) }))
    const vendor = await Vendor.join(world, 'Unlucky')
    const id = await vendor.submit(world.epochs.open)
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored', shards: { total: 4, done: 4 } })
    expect(seen.size).toBeGreaterThan(30)
    expect(calls()).toBe(2 * seen.size)
    expect(await rowsOf('tallies', id)).toHaveLength(4)
    expect(await rowsOf('shards', id)).toHaveLength(4)
    expect(await rowsOf('reports', id)).toHaveLength(1)
    expect(await rowsOf('uploads', id)).toHaveLength(1)
  })

  test('Q05 that fails after the blob was stored leaves an upload that the sweep removes', async () => {
    let broken = false
    const { database } = flakyDatabase(env.DB, () => false)
    const failing = new Proxy(database, {
      get(target, name) {
        if (name === 'batch' && broken)
          return () => Promise.reject(new Error('D1_ERROR: disk I/O error'))
        return Reflect.get(target, name)
      },
    })
    const world = await openWorld(() => ({ db: openDatabase(failing, atOnce) }))
    const vendor = await Vendor.join(world, 'Half')
    const patches = patchesOf(world.epochs.open)
    const opened: { submission: string } = await (
      await vendor.open(await vendor.manifest(world.epochs.open, patches))
    ).json()
    const id = opened.submission
    broken = true
    await expectProblem(await vendor.upload(id, patches), 'internal')
    broken = false
    expect(await vendor.view(id)).toMatchObject({ state: 'open' })
    expect(await rowsOf('shards', id)).toHaveLength(0)

    expect((await vendor.upload(id, patches)).status).toBe(200)
    const blobs = async () => (await env.BLOBS.list({ prefix: `uploads/${id}/` })).objects.length
    expect(await blobs()).toBe(2)
    world.clock.advance(7 * 3600)
    await world.sweep()
    expect(await blobs()).toBe(1)
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('CL-177 is never sent a long statement', () => {
    for (const { queries } of env.TEST_MIGRATIONS) {
      for (const query of queries) expect(query.length).toBeLessThan(100_000)
    }
  })

  test('CL-181 is used without interactive transactions', () => {
    const sources = import.meta.glob('../../src/worker/**/*.{ts,tsx}', {
      query: '?raw',
      import: 'default',
      eager: true,
    })
    expect(Object.keys(sources).length).toBeGreaterThan(50)
    for (const [file, source] of Object.entries(sources)) {
      expect(/\.transaction\(|BEGIN TRANSACTION/.test(String(source)), file).toBe(false)
    }
  })

  test('is asked again only when a call was lost', async () => {
    let asked = 0
    const fail = (message: string) => async () => {
      asked += 1
      throw new Error(message)
    }
    await expect(insist(fail('D1_ERROR: UNIQUE constraint failed'), atOnce)).rejects.toThrow(
      'UNIQUE',
    )
    expect(asked).toBe(1)
    await expect(insist(fail('Network connection lost.'), atOnce)).rejects.toThrow('lost')
    expect(asked).toBe(5)
  })
})

describe('R2', () => {
  test('CL-192 is written once a key', async () => {
    const { bucket, written } = watchedBucket(env.BLOBS)
    const world = await openWorld(() => ({ blobs: openBlobs(bucket, atOnce) }))
    const vendor = await Vendor.join(world, 'Writer')
    await vendor.submit(world.epochs.open)
    await world.drain()
    expect(written.filter((key) => !key.startsWith('epochs/'))).toHaveLength(2)
    expect(new Set(written).size).toBe(written.length)
  })

  test('CL-192 that loses answers or asks to wait is asked again', async () => {
    const { bucket } = watchedBucket(env.BLOBS, (call) => call % 2 === 1)
    const world = await openWorld(() => ({ blobs: openBlobs(bucket, atOnce) }))
    const vendor = await Vendor.join(world, 'Waiter')
    const id = await vendor.submit(world.epochs.open)
    await world.drain()
    expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('holding other bytes than were received is a fault of ours, never a score', async () => {
    const world = await openWorld()
    const vendor = await Vendor.join(world, 'Tampered')
    const id = await vendor.submit(world.epochs.open)
    const [blob] = (await env.BLOBS.list({ prefix: `uploads/${id}/` })).objects
    const bytes = new Uint8Array(
      (await (await env.BLOBS.get(blob?.key ?? ''))?.arrayBuffer()) ?? [],
    )
    bytes[70] = 66
    await env.BLOBS.put(blob?.key ?? '', bytes)
    const messages = world.queue.splice(0).map(({ body }) => body)
    const settled = await world.deliver(messages)
    expect(settled.filter((acknowledged) => !acknowledged)).toHaveLength(1)
    expect(await vendor.view(id)).toMatchObject({ state: 'judging', shards: { done: 3 } })
    await world.deliver(messages, { queue: DEAD_QUEUE })
    expect(await vendor.view(id)).toMatchObject({ state: 'incomplete', reason: 'sandbox_failed' })
  })
})

describe('Durable Objects', () => {
  test('CL-197 that a deploy resets in the middle lose nothing', async () => {
    const world = await openWorld()
    const vendor = await Vendor.join(world, 'Deployed')
    const ids = [await vendor.submit(world.epochs.open), await vendor.submit(world.epochs.open)]
    await world.deliver(world.queue.splice(0, 3).map(({ body }) => body))
    await evictAllDurableObjects()
    await world.deliver(world.queue.splice(0, 2).map(({ body }) => body))
    await abortAllDurableObjects()
    await world.drain()
    for (const id of ids) expect(await vendor.view(id)).toMatchObject({ state: 'scored' })
  })

  test('CL-197 are called again with a fresh stub after a reset, and only then', async () => {
    const stubs: number[] = []
    const namespace = (failures: number, message: string) => ({
      getByName: () => {
        stubs.push(1)
        const broken = stubs.length <= failures
        return { mark: () => (broken ? Promise.reject(new Error(message)) : Promise.resolve(7)) }
      },
    })
    const call = (failures: number, message: string) => {
      stubs.length = 0
      return callByName(namespace(failures, message), 'x', (stub) => stub.mark())
    }
    expect(await call(2, 'Durable Object reset because its code was updated.')).toBe(7)
    expect(stubs).toHaveLength(3)
    await expect(call(9, 'Durable Object reset because its code was updated.')).rejects.toThrow()
    await expect(call(9, 'a bug')).rejects.toThrow('a bug')
    expect(stubs).toHaveLength(1)
  })

  test('count a shard once, however often it is marked', async () => {
    const stub = env.PROGRESS.getByName('counted')
    await Promise.all(Array.from({ length: 20 }, (_, index) => stub.mark(`c-${index % 3}`, 4)))
    expect(await stub.done()).toBe(3)
    expect(await stub.mark('c-3', 4)).toEqual({ done: 4, complete: true })
    expect(await stub.mark('c-3', 4)).toEqual({ done: 4, complete: true })
  })

  test('give a place in a budget once, to the same submission again, and back', async () => {
    const stub = env.QUOTA.getByName('budget')
    const takes = await Promise.all(['a', 'b', 'c', 'a', 'b'].map((id) => stub.take(id, 2)))
    expect(takes.filter(({ granted }) => granted)).toHaveLength(4)
    expect(await stub.used()).toBe(2)
    await stub.giveBack('a')
    await stub.giveBack('a')
    expect((await stub.take('c', 2)).granted).toBe(true)
    expect((await stub.take('d', 2)).granted).toBe(false)
  })

  test('remember a token until it cannot be accepted any more', async () => {
    const stub = env.TOKENS.getByName('key')
    expect(await stub.spend('one', 100, 50)).toBe(true)
    expect(await stub.spend('one', 100, 100)).toBe(false)
    expect(await stub.spend('two', 200, 101)).toBe(true)
    expect(await stub.spend('one', 300, 102)).toBe(true)
  })
})

describe('settings', () => {
  test('that are missing are named, and no value is shown', async () => {
    const broken = { ...env, EPOCH_KEYS: 'MARKER', OPERATOR_TOKEN: 'short' }
    expect(() => readSettings(broken)).toThrow(/OPERATOR_TOKEN, EPOCH_KEYS/)
    expect(() => readSettings(broken)).not.toThrow(/MARKER/)
    const { ORIGIN: _, ...rest } = env
    expect(() => readSettings(rest)).toThrow(/ORIGIN/)
    expect(readSettings({ ...rest, ENVIRONMENT: 'development' }).origin).toBeNull()
  })
})
