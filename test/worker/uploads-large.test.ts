import { describe, expect, test } from 'vitest'
import { sha256Hex } from '../../src/protocol/digest.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { taskOrder } from '../../src/worker/patches/order.ts'
import { readPatches } from '../../src/worker/patches/read.ts'
import { type SampleEpoch, sampleEpoch } from './epoch-sample.ts'
import { expectProblem } from './problems.ts'
import { bytesOf } from './upload-bytes.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld, publish } from './world.ts'

/** Opens a submission for these bytes, whatever they are; answers its id. */
async function openFor(owner: Vendor, epoch: SampleEpoch, patches: Uint8Array): Promise<string> {
  const opened = await owner.open(await owner.manifest(epoch, patches))
  const { submission }: { submission: string } = await opened.json()
  return submission
}

describe('PUT /v1/submissions/{id}/patches of a size that harms', () => {
  test('U01 stops reading lines when the list of faults is full, and still digests the rest', async () => {
    const world = await openWorld()
    const vendor = await Vendor.join(world, 'Acme')
    const tiny = bytesOf(Array.from({ length: 400_000 }, () => ({})))
    const id = await openFor(vendor, world.epochs.open, tiny)
    const problem = await expectProblem(await vendor.upload(id, tiny), 'patches-invalid')
    expect(problem.errors).toHaveLength(LIMITS.listedFaults - 1)
    const read = await readPatches(new Blob([tiny]).stream(), taskOrder(['a'], 6), async () => {})
    expect(read).toMatchObject({ count: LIMITS.listedFaults - 1, bytes: tiny.byteLength })
    expect(read.sha256).toBe(await sha256Hex(tiny))
    const other = tiny.slice()
    other[other.length - 3] = 91
    await expectProblem(await vendor.upload(id, tiny, { body: other }), 'patches-mismatch')
  })

  test('refuses a category that no sandbox would take, before anything is judged', async () => {
    const wide = await sampleEpoch('full-1', 'open', { categories: 1, practice: 0, sealed: 66 })
    const other = await openWorld(() => ({}), [wide])
    await publish(other, wide)
    const owner = await Vendor.join(other, 'Wide')
    const largest = '\u0001'.repeat(LIMITS.moduleBytes)
    const send = async (count: number) => {
      const patches = patchesOf(wide, (_, index) => (index < count ? largest : null))
      return owner.upload(await openFor(owner, wide, patches), patches)
    }
    const { detail } = await expectProblem(await send(22), 'body-too-large')
    expect(detail).toMatch(/the lines of tail-slice-zero take/)
    expect(other.queue).toHaveLength(0)
    expect((await send(21)).status).toBe(200)
    const [shard] = other.queue.splice(0).map(({ body }) => body)
    await other.deliver([shard])
    const [asked] = other.sandbox.requests
    expect(JSON.stringify(asked).length).toBeLessThan(LIMITS.shardBytes)
  })
})
