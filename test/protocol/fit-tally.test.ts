import { describe, expect, test } from 'vitest'
import { contradiction, fitTally } from '../../src/protocol/fit-tally.ts'
import { type Counts, type Tally, tallySchema } from '../../src/protocol/tally.ts'
import { sampleCard, sampleCounts, sampleTally } from './sample.ts'

const SUBMISSION = `sub_${'5'.repeat(40)}`
const card = sampleCard('live')

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
      // Who did not run to the end has neither regressed nor been trapped nor mended a fault.
      { wrong: 0, crashed: 40, regressed: 1 },
      { wrong: 0, no_answer: 40, trapped: 1 },
      { wrong: 0, timed_out: 40, faults_mended: 41 },
      { faults_injected: 79, faults_mended: 40 },
      { faults_injected: 2 ** 53 - 1 },
      { faults_mended: 39 },
      { fixed: 0, wrong: 80, faults_mended: 0, lines_changed: 1, lines_needed: 0 },
      { fixed: 0, wrong: 80, faults_mended: 0, lines_changed: 0, lines_needed: 1 },
      { lines_changed: 2 ** 53 - 1 },
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

describe('contradiction', () => {
  test('takes partial repair, rewrites and tasks with several faults', () => {
    for (const counts of [
      sampleCounts(80, 0),
      sampleCounts(80, 80, { faults_injected: 90, faults_mended: 90, lines_changed: 9000 }),
      sampleCounts(80, 10, { faults_injected: 90, faults_mended: 60, regressed: 70, trapped: 70 }),
      sampleCounts(0, 0),
    ]) {
      expect(contradiction(counts, counts.tasks)).toBeUndefined()
    }
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
