import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import { reportSchema } from '../../src/protocol/report.ts'
import { openBlobs } from '../../src/worker/store/blobs.ts'
import { openDatabase } from '../../src/worker/store/database.ts'
import { type SampleEpoch, sampleEpoch } from './epoch-sample.ts'
import { flakyDatabase, watchedBucket } from './flaky.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld, publish, type World } from './world.ts'

/** Below the lowest documented cap of 50 calls an invocation. */
const MOST_CALLS = 40

const never = () => false
const atOnce = async () => undefined

let world: World
let epoch: SampleEpoch
let calls: () => number
beforeAll(async () => {
  const database = flakyDatabase(env.DB, never)
  const bucket = watchedBucket(env.BLOBS, never)
  calls = () => database.calls() + bucket.calls()
  epoch = await sampleEpoch('full-1', 'open', { categories: 256, practice: 16, sealed: 80 })
  world = await openWorld(
    () => ({
      db: openDatabase(database.database, atOnce),
      blobs: openBlobs(bucket.bucket, atOnce),
    }),
    [epoch],
  )
})

/** The database and storage calls of one invocation. */
async function counted<T>(run: () => Promise<T>): Promise<{ value: T; made: number }> {
  const before = calls()
  const value = await run()
  return { value, made: calls() - before }
}

describe('a submission of all 24,576 tasks', () => {
  test('CL-175 CL-184 CL-186 is received, judged and closed within the caps of the platform', async () => {
    const published = await counted(() => publish(world, epoch))
    expect(published.made).toBeLessThanOrEqual(MOST_CALLS)
    const vendor = await Vendor.join(world, 'Full')
    // About a kilobyte a module, as real ones have.
    const module = `def solve(a, b):\n${'    # a line of a module as people write it\n'.repeat(22)}    return b - a\n`
    const patches = patchesOf(epoch, (_, index) => (index % 50 === 0 ? null : module))
    expect(patches.byteLength).toBeGreaterThan(24_000_000)
    const opened: { submission: string } = await (
      await vendor.open(await vendor.manifest(epoch, patches))
    ).json()
    const upload = await counted(() => vendor.upload(opened.submission, patches))
    expect(await upload.value.text()).toContain('judging')
    expect(upload.made).toBeLessThanOrEqual(MOST_CALLS)

    expect(world.queue).toHaveLength(256)
    for (const { body } of world.queue) {
      expect(new TextEncoder().encode(JSON.stringify(body)).byteLength).toBeLessThan(1024)
    }
    let mostJudging = 0
    while (world.queue.length > 1) {
      const batch = world.queue.splice(0, 4).map(({ body }) => body)
      const judged = await counted(() => world.deliver(batch))
      expect(judged.value.every(Boolean)).toBe(true)
      mostJudging = Math.max(mostJudging, judged.made)
    }
    expect(mostJudging).toBeLessThanOrEqual(MOST_CALLS)
    const close = await counted(() => world.deliver(world.queue.splice(0).map(({ body }) => body)))
    expect(close.made).toBeLessThanOrEqual(MOST_CALLS)

    const view = await vendor.view(opened.submission)
    expect(view).toMatchObject({ state: 'scored', shards: { total: 256, done: 256 } })
    const reply = await world.fetch(`/v1/reports/${view.report}`)
    const report = reportSchema.parse(await reply.json())
    expect(report.overall).toMatchObject({ shown: true, tasks: 256 * 80 })
    expect(report.categories.every(({ cell }) => cell.tasks === 80)).toBe(true)
    expect((await world.fetch(`/reports/${view.report}`)).status).toBe(200)
  }, 300_000)

  test('sweeps within the caps', async () => {
    const vendor = await Vendor.join(world, 'Swept')
    for (let round = 0; round < 6; round += 1) await vendor.submit(world.epochs.open)
    world.queue.length = 0
    world.clock.advance(400)
    expect((await counted(() => world.sweep())).made).toBeLessThanOrEqual(MOST_CALLS)
  })
})
