import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildReport, type ReportInput } from '../../src/protocol/build-report.ts'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import type { EpochCard } from '../../src/protocol/epoch.ts'
import { fitTally } from '../../src/protocol/fit-tally.ts'
import { openReport, type Signer, signReport } from '../../src/protocol/jws.ts'
import type { Jwks } from '../../src/protocol/keys.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { CATEGORIES } from '../../src/protocol/map.ts'
import { type Report, reportSchema } from '../../src/protocol/report.ts'
import { type Counts, type Tally, tallySchema } from '../../src/protocol/tally.ts'
import {
  ALICE,
  MALLORY,
  MANIFEST_SHA256,
  ORIGIN,
  sampleCard,
  sampleCounts,
  sampleManifest,
  sampleTally,
  signerOf,
} from './sample.ts'

const KEY = 'key_kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'
const SUBMISSION = `sub_${'5'.repeat(40)}`

function inputOf(card: EpochCard, tallies: readonly Tally[]): ReportInput {
  return {
    origin: ORIGIN,
    api: '0.1.0',
    card,
    manifest: sampleManifest(card, KEY),
    manifestSha256: MANIFEST_SHA256,
    organisationName: 'Acme',
    usage: { practice: 3, sealed: 1 },
    tallies,
  }
}

const talliesOf = (card: EpochCard, fixed: (index: number) => number): Tally[] =>
  card.categories.map(({ slug }, index) =>
    sampleTally(card, slug, sampleCounts(card.sealed, fixed(index))),
  )

function build(card: EpochCard, tallies: readonly Tally[]): Report {
  const built = buildReport(inputOf(card, tallies))
  if (!built.ok) throw new Error(built.error.why)
  return built.value
}

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

describe('fitTally', () => {
  const category = card.categories[0]?.slug ?? ''
  const good = sampleTally(card, category, sampleCounts(80, 40, { visible_passed: 50 }))
  const sealed = (more: Partial<Counts>): Tally => ({
    ...good,
    parts: { ...good.parts, sealed: { ...good.parts.sealed, ...more } },
  })
  const fault = (tally: Tally) => {
    const fitted = fitTally(tally, { card, submission: SUBMISSION, category })
    return fitted.ok ? 'fits' : `${fitted.error.reason}: ${fitted.error.why}`
  }

  test('takes what was asked for', () => {
    expect(fault(good)).toBe('fits')
  })

  test('refuses another corpus as a difference of versions (Q03)', () => {
    expect(fault({ ...good, corpus: '0'.repeat(64) })).toBe('versions_differ: another corpus')
  })

  test('quarantines what answers another question (Q07)', () => {
    for (const other of [
      { ...good, submission: `sub_${'6'.repeat(40)}` },
      { ...good, epoch: 'live-2026-12' },
      { ...good, category: card.categories[1]?.slug ?? '' },
    ]) {
      expect(fault(other)).toMatch(/^controls_failed/)
    }
    const unknown = { card, submission: SUBMISSION, category: 'missing-x' }
    expect(fitTally({ ...good, category: 'missing-x' }, unknown)).toMatchObject({
      error: { why: 'unknown category' },
    })
  })

  test('quarantines numbers that cannot be true (Q07)', () => {
    const impossible: Partial<Counts>[] = [
      { tasks: 81, wrong: 41 },
      { tasks: 79, wrong: 39 },
      { fixed: 41 },
      { wrong: 39 },
      { fixed: 60, wrong: 20 },
      { visible_passed: 81 },
      { invalid: 40, wrong: 0, visible_passed: 50 },
      { regressed: 41 },
      { trapped: 41 },
      { faults_mended: 81 },
    ]
    for (const more of impossible) {
      expect(fault(sealed(more)), JSON.stringify(more)).toMatch(/^controls_failed: sealed/)
    }
  })

  test('quarantines controls that did not hold or did not run (Q07)', () => {
    for (const kind of ['reference', 'known_failing', 'unsolvable'] as const) {
      for (const control of [
        { run: 2, held: 1 },
        { run: 0, held: 0 },
        { run: 1, held: 2 },
      ]) {
        const controls = { ...good.controls, [kind]: control }
        expect(fault({ ...good, controls })).toBe('controls_failed: a control did not hold')
      }
    }
  })

  test('quarantines an isolation that failed its own tests', () => {
    const isolation = { ...good.isolation, self_tests: { run: 12, held: 11 } }
    expect(fault({ ...good, isolation })).toBe('controls_failed: the isolation did not hold')
  })
})

describe('tallySchema', () => {
  const good = sampleTally(card, card.categories[0]?.slug ?? '', sampleCounts(80, 40))
  test('takes whole, finite, non-negative numbers only (Q07)', () => {
    for (const fixed of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '40', null, 2 ** 53]) {
      const parts = { ...good.parts, sealed: { ...good.parts.sealed, fixed } }
      expect(tallySchema.safeParse({ ...good, parts }).success, String(fixed)).toBe(false)
    }
  })
  test('takes no key that could carry a verdict of one task (Q07)', () => {
    expect(tallySchema.safeParse({ ...good, verdicts: [1] }).success).toBe(false)
    const parts = { ...good.parts, sealed: { ...good.parts.sealed, ids: ['x'] } }
    expect(tallySchema.safeParse({ ...good, parts }).success).toBe(false)
  })
})

describe('openReport', () => {
  let signer: Signer
  let jwks: Jwks
  const report = () =>
    build(
      card,
      talliesOf(card, (i) => i * 4),
    )
  beforeAll(async () => {
    signer = await signerOf(ALICE)
    jwks = { keys: [{ ...signer.jwk, kid: signer.keyId, alg: 'EdDSA', use: 'sig' }] }
  })

  test('verifies offline what signReport signed, and signs the same text twice', async () => {
    const jws = await signReport(report(), signer)
    expect(await signReport(report(), signer)).toBe(jws)
    expect(await openReport(jws, jwks)).toEqual({ ok: true, value: report() })
  })

  test('refuses one flipped byte anywhere', async () => {
    const jws = await signReport(report(), signer)
    for (const share of [0.001, 0.1, 0.5, 0.9, 0.9999]) {
      const at = Math.floor(jws.length * share)
      const flipped = String.fromCharCode(jws.charCodeAt(at) ^ 1)
      const text = jws.slice(0, at) + flipped + jws.slice(at + 1)
      expect(await openReport(text, jwks)).toMatchObject({ error: { slug: 'signature-invalid' } })
    }
  })

  test('refuses a key that the service does not list, or lists under another id', async () => {
    const mallory = await signerOf(MALLORY)
    const jws = await signReport(report(), mallory)
    expect(await openReport(jws, jwks)).toMatchObject({ error: { slug: 'signature-invalid' } })
    const mislabelled: Jwks = {
      keys: [{ ...signer.jwk, kid: mallory.keyId, alg: 'EdDSA', use: 'sig' }],
    }
    expect(await openReport(jws, mislabelled)).toMatchObject({
      error: { slug: 'signature-invalid' },
    })
    expect(await openReport(jws, { keys: [] })).toMatchObject({
      error: { slug: 'signature-invalid' },
    })
  })
})
