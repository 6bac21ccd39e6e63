import { beforeAll, describe, expect, test } from 'vitest'
import { type Report, reportSchema } from '../../src/protocol/report.ts'
import { BUCKETS } from '../../src/protocol/tally.ts'
import { CONFINED, FIXED } from './fake-sandbox.ts'
import { type Answer, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

let world: World
let vendor: Vendor
beforeAll(async () => {
  world = await openWorld()
  vendor = await Vendor.join(world, 'Counter')
})

async function reportOf(answer: Answer): Promise<Report> {
  const id = await vendor.submit(world.epochs.open, answer)
  await world.drain()
  const { report } = await vendor.view(id)
  return reportSchema.parse(await (await world.fetch(`/v1/reports/${report}`)).json())
}

describe('a report', () => {
  test('CL-146 of a part of the map keeps the whole denominator, and shows no rate where nothing was answered', async () => {
    const [first] = world.epochs.open.draft.drawing.categories
    const report = await reportOf((id) => (id.includes(`${first?.slug}-`) ? FIXED : null))
    expect(report.overall).toMatchObject({ shown: true, tasks: 16, answered: 4 })
    expect(report.overall.shown && report.overall.fixed).toMatchObject({ count: 4, of: 16 })
    const built = report.categories.filter(({ cell }) => cell.tasks > 0)
    expect(built.map(({ cell }) => cell.shown)).toEqual([true, false, false, false])
    expect(report.suppressed).toEqual({ few_tasks: 0, few_answers: 3 })
  })

  test('CL-147 CL-148 adds up: every task in one bucket, categories to domains to the map', async () => {
    const report = await reportOf((_, index) => [FIXED, 'pass\n', null][index % 3] ?? null)
    const cells = [
      report.overall,
      ...report.domains.map(({ cell }) => cell),
      ...report.categories.map(({ cell }) => cell),
    ]
    for (const cell of cells) {
      if (!cell.shown) continue
      expect(BUCKETS.reduce((sum, bucket) => sum + cell.counts[bucket], 0)).toBe(cell.tasks)
      expect(cell.answered).toBe(cell.tasks - cell.counts.no_answer)
    }
    const sum = (some: { cell: Report['overall'] }[]) =>
      some.reduce((total, { cell }) => total + (cell.shown ? cell.counts.fixed : 0), 0)
    const overall = report.overall.shown ? report.overall.counts.fixed : -1
    expect(sum(report.domains)).toBe(overall)
    expect(sum(report.categories)).toBe(overall)
  })
})

describe('an unconfined sandbox', () => {
  test('is accepted in development only, and the report says so', async () => {
    const unsafe = { ...CONFINED, profile: 'unsafe' as const, self_tests: { run: 0, held: 0 } }
    const developing = await openWorld(({ settings }) => ({
      settings: { ...settings, development: true },
    }))
    developing.sandbox.respond = (request) =>
      Response.json({ ...developing.sandbox.tally(request), isolation: unsafe })
    const owner = await Vendor.join(developing, 'Developer')
    const id = await owner.submit(developing.epochs.open)
    await developing.drain()
    const { report } = await owner.view(id)
    const parsed = reportSchema.parse(
      await (await developing.fetch(`/v1/reports/${report}`)).json(),
    )
    expect(parsed.isolation).toEqual([{ ...unsafe, shards: 4 }])
  })
})
