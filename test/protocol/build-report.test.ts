import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildReport } from '../../src/protocol/build-report.ts'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import type { EpochCard } from '../../src/protocol/epoch.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { CATEGORIES } from '../../src/protocol/map.ts'
import { reportSchema } from '../../src/protocol/report.ts'
import type { Counts, Tally } from '../../src/protocol/tally.ts'
import { sampleCard, sampleCounts, sampleTally } from './sample.ts'
import { build, inputOf, talliesOf } from './sample-report.ts'

const SUBMISSION = `sub_${'5'.repeat(40)}`

const whyNot = (card: EpochCard, tallies: readonly Tally[]) => {
  const built = buildReport(inputOf(card, tallies))
  return built.ok ? 'built' : built.error.why
}

const card = sampleCard('live')

describe('buildReport', () => {
  test('fits its own schema and says what it is about', () => {
    const report = build(
      card,
      talliesOf(card, (i) => i * 4),
    )
    expect(reportSchema.parse(report)).toEqual(report)
    expect(report.submission.id).toBe(SUBMISSION)
    expect(report.id).toBe(`rpt_${'5'.repeat(40)}`)
    expect(report.epoch.commitment).toBe(card.commitment)
    expect(report.model.name).toBe('ollama/qwen2.5-coder:7b')
    expect(report.submission.signed_at).toBe('2026-11-30T00:53:20Z')
    expect(report.controls.reference).toEqual({ run: 40, held: 40 })
    expect(report.code.runtimes).toEqual([
      { python: '3.11.7', sandbox: '1'.repeat(64), shards: 20 },
    ])
  })

  test('adds up categories to domains and the map, exactly', () => {
    const report = build(
      card,
      talliesOf(card, (i) => i * 4),
    )
    const { overall, domains } = report
    if (!overall.shown) throw new Error('not shown')
    expect(overall.tasks).toBe(1600)
    expect(overall.fixed.count).toBe(760)
    expect(overall.fixed.rate).toBe(0.475)
    expect(overall.deff).toBe(1.9)
    const inDomains = domains.map(({ cell }) => (cell.shown ? cell.fixed.count : 0))
    expect(inDomains.slice(0, 3)).toEqual([480, 280, 0])
    expect(domains[1]?.categories_built).toBe(4)
  })

  test('shows categories that are not built as such, in map order', () => {
    const report = build(
      card,
      talliesOf(card, () => 40),
    )
    expect(report.categories.map(({ slug }) => slug)).toEqual(CATEGORIES.map(({ slug }) => slug))
    for (const { cell, standing } of report.categories.slice(20)) {
      expect(cell).toEqual({ shown: false, tasks: 0, answered: 0, why: 'not_built' })
      expect(standing).toBe('untested')
    }
    expect(report.domains[2]?.cell).toMatchObject({ shown: false, why: 'not_built' })
    expect(report.suppressed).toEqual({ few_tasks: 0, few_answers: 0 })
    expect(report.statistics.tested).toBe(20)
  })

  test('has the same bytes for any order of the tallies (Q01)', () => {
    const tallies = talliesOf(card, (i) => (i * 7) % 81)
    const expected = canonicalJson(build(card, tallies))
    const order = fc.shuffledSubarray(tallies, { minLength: tallies.length })
    fc.assert(
      fc.property(order, (shuffled) => {
        expect(canonicalJson(build(card, shuffled))).toBe(expected)
      }),
      { numRuns: 20 },
    )
  })

  test('lists each setting that judged once, in an order of its own', () => {
    const tallies = talliesOf(card, () => 40)
    const mixed = tallies.map((tally, i) =>
      i % 2 === 0
        ? tally
        : {
            ...tally,
            isolation: { ...tally.isolation, profile: 'L' as const, user_namespace: false },
          },
    )
    const report = build(card, mixed)
    expect(report.isolation.map(({ profile, shards }) => [profile, shards])).toEqual([
      ['L', 10],
      ['S', 10],
    ])
    expect(canonicalJson(build(card, mixed.toReversed()))).toBe(canonicalJson(report))
  })

  test('shows no rate below the smallest cell outside open epochs (R02)', () => {
    const small = sampleCard('room', { sealed: 39 })
    const report = build(
      small,
      talliesOf(small, () => 20),
    )
    for (const { cell, standing } of report.categories.slice(0, 20)) {
      expect(cell).toEqual({ shown: false, tasks: 39, answered: 39, why: 'few_tasks' })
      expect(standing).toBe('untested')
    }
    expect(report.overall.shown).toBe(true)
    expect(report.suppressed).toEqual({ few_tasks: 20, few_answers: 0 })
    const open = sampleCard('open', { sealed: 3 })
    expect(
      build(
        open,
        talliesOf(open, () => 1),
      ).categories[0]?.cell.shown,
    ).toBe(true)
  })

  test('shows no rate over few patches, yet counts the rest as not fixed (R02, CL-146)', () => {
    const tallies = card.categories.map(({ slug }, i) =>
      sampleTally(
        card,
        slug,
        i === 0 ? sampleCounts(80, 1, { no_answer: 79 }) : sampleCounts(80, 40),
      ),
    )
    const report = build(card, tallies)
    expect(report.categories[0]?.cell).toEqual({
      shown: false,
      tasks: 80,
      answered: 1,
      why: 'few_answers',
    })
    expect(report.overall).toMatchObject({ tasks: 1600, answered: 1521 })
    expect(report.suppressed.few_answers).toBe(1)
    if (!report.overall.shown) throw new Error('not shown')
    expect(report.overall.fixed.of).toBe(1600)
  })

  test('shows no released rate over fewer than 40 tasks, whatever the epoch (property)', () => {
    const shape = fc.record({
      kind: fc.constantFrom('live' as const, 'room' as const),
      categories: fc.integer({ min: 1, max: 24 }),
      sealed: fc.integer({ min: 1, max: 60 }),
      gaps: fc.array(fc.nat(60), { minLength: 24, maxLength: 24 }),
    })
    fc.assert(
      fc.property(shape, ({ kind, categories, sealed, gaps }) => {
        const drawn = sampleCard(kind, { categories, sealed })
        const tallies = drawn.categories.map(({ slug }, i) =>
          sampleTally(
            drawn,
            slug,
            sampleCounts(sealed, 0, { no_answer: Math.min(sealed, gaps[i] ?? 0) }),
          ),
        )
        const report = build(drawn, tallies)
        const cells = [
          report.overall,
          ...report.domains.map(({ cell }) => cell),
          ...report.categories.map(({ cell }) => cell),
        ]
        for (const cell of cells) {
          expect(cell.shown).toBe(cell.tasks >= 40 && cell.answered >= 40)
        }
      }),
      { numRuns: 40 },
    )
  })

  test('keeps an overlay apart from the public score', () => {
    const with2 = sampleCard('room', { overlay: true })
    const report = build(
      with2,
      talliesOf(with2, (i) => (i < 20 ? 40 : 80)),
    )
    if (!report.overall.shown || !report.overlay?.overall.shown) throw new Error('not shown')
    expect(report.overall.fixed).toMatchObject({ count: 800, of: 1600 })
    expect(report.overlay.overall.fixed).toMatchObject({ count: 160, of: 160 })
    expect(report.overlay.categories.map(({ slug }) => slug)).toEqual([
      'acme-ledger',
      'acme-routing',
    ])
    expect(report.domains.find(({ slug }) => slug === 'numbers-money')?.cell.shown).toBe(false)
    expect(
      build(
        card,
        talliesOf(card, () => 40),
      ).overlay,
    ).toBeNull()
  })

  test('tells repair from rewriting, traps, regressions and partial repair', () => {
    const counts: Partial<Counts> = {
      visible_passed: 60,
      trapped: 12,
      regressed: 4,
      faults_injected: 90,
      faults_mended: 50,
      lines_changed: 130,
      lines_needed: 52,
    }
    const tallies = card.categories.map(({ slug }) =>
      sampleTally(card, slug, sampleCounts(80, 40, counts)),
    )
    const cell = build(card, tallies).categories[0]?.cell
    if (cell?.shown !== true) throw new Error('not shown')
    expect(cell.gap).toMatchObject({ count: 20, of: 80, rate: 0.25 })
    expect(cell.overfit).toMatchObject({ count: 20, of: 60, rate: 0.3333 })
    expect(cell.trapped.rate).toBe(0.15)
    expect(cell.regressed.rate).toBe(0.05)
    expect(cell.faults).toMatchObject({ count: 50, of: 90, rate: 0.5556 })
    expect(cell.precision).toEqual({ lines_changed: 130, lines_needed: 52, ratio: 2.5 })
  })

  test('flags the weak category by its own standing, not by rank', () => {
    const report = build(
      card,
      talliesOf(card, (i) => (i === 3 ? 2 : 60)),
    )
    const weak = report.categories.filter(({ standing }) => standing === 'weaker')
    expect(weak.map(({ slug }) => slug)).toEqual([card.categories[3]?.slug])
  })

  test('needs exactly one tally of each category', () => {
    const tallies = talliesOf(card, () => 40)
    const [first] = tallies
    if (first === undefined) throw new Error('no tally')
    expect(whyNot(card, tallies.slice(1))).toBe('not one tally per category')
    expect(whyNot(card, [...tallies, first])).toBe('two tallies of one category')
    expect(whyNot(card, [...tallies.slice(1), { ...first, category: 'missing-config' }])).toBe(
      'a category has no tally',
    )
    expect(whyNot(card, [])).toBe('not one tally per category')
  })

  test('is not built for a practice run or for another epoch', () => {
    const input = inputOf(
      card,
      talliesOf(card, () => 40),
    )
    const practice = { ...input, manifest: { ...input.manifest, part: 'practice' as const } }
    expect(buildReport(practice)).toMatchObject({ ok: false })
    const epoch = { ...input.manifest.epoch, id: 'live-2026-12' }
    expect(buildReport({ ...input, manifest: { ...input.manifest, epoch } })).toMatchObject({
      ok: false,
    })
  })

  test('stays far below the size limit with a full map and overlay', () => {
    const full = sampleCard('room', { categories: 256, overlay: true })
    const text = canonicalJson(
      build(
        full,
        talliesOf(full, (i) => i % 81),
      ),
    )
    expect((text.length * 4) / 3).toBeLessThan(LIMITS.reportJwsBytes / 2)
  })
})
