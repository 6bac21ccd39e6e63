import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import { epochCardSchema } from '../../src/protocol/epoch.ts'
import { toSeconds } from '../../src/protocol/instant.ts'
import {
  giveBack,
  gridPoints,
  isReleased,
  judgedParts,
  type Progress,
  practiceScores,
  releaseInstant,
  releaseOf,
  releaseSeconds,
  spend,
  visibleProgress,
} from '../../src/protocol/policy.ts'
import { POLICIES, policySchema, SMALLEST_CELL } from '../../src/protocol/policy-data.ts'
import { practiceScoresSchema } from '../../src/protocol/practice.ts'
import { type SubmissionState, submissionStateSchema } from '../../src/protocol/submission.ts'
import { sampleCard, sampleCounts, sampleTally } from './sample.ts'

const SUBMISSION = `sub_${'5'.repeat(40)}`
const live = sampleCard('live', { categories: 64 })
const room = sampleCard('room')
const open = sampleCard('open')
const close = toSeconds(live.closes_at)
const release = close + 24 * 3600

const states = fc.constantFrom<SubmissionState>(...submissionStateSchema.options)
const fixedPerCategory = fc.array(fc.nat(16), { minLength: 64, maxLength: 64 })
const practiceOf = (fixed: readonly number[]) =>
  live.categories.map(({ slug }, i) => ({
    category: slug,
    practice: sampleCounts(16, fixed[i] ?? 0),
  }))

describe('gridPoints', () => {
  test('is the nearest grid point, ties up', () => {
    expect(gridPoints(0, 80, 5)).toBe(0)
    expect(gridPoints(80, 80, 5)).toBe(100)
    expect(gridPoints(2, 80, 5)).toBe(5) // 2.5 points
    expect(gridPoints(1, 80, 5)).toBe(0) // 1.25 points
    expect(gridPoints(1, 200, 1)).toBe(1) // 0.5 points
    expect(gridPoints(1, 201, 1)).toBe(0)
    expect(gridPoints(97, 100, 30)).toBe(90)
  })

  test('agrees with the float form where that is exact, and stays on the grid and monotone', () => {
    const shape = fc.tuple(fc.integer({ min: 1, max: 25_000 }), fc.constantFrom(1, 2, 5, 10, 25))
    fc.assert(
      fc.property(shape, fc.nat(), ([tasks, step], seed) => {
        const passed = seed % (tasks + 1)
        const points = gridPoints(passed, tasks, step)
        expect(points % step).toBe(0)
        expect(Math.abs(points - (100 * passed) / tasks)).toBeLessThanOrEqual(step / 2 + 1e-9)
        if (passed < tasks)
          expect(gridPoints(passed + 1, tasks, step)).toBeGreaterThanOrEqual(points)
      }),
    )
  })
})

describe('practiceScores', () => {
  test('rounds overall to 1 point and domains to 5, and is neither signed nor citable', () => {
    const scores = practiceScores(live, SUBMISSION, practiceOf(Array(64).fill(5)))
    expect(practiceScoresSchema.parse(scores)).toEqual(scores)
    expect(scores.overall).toBe(31) // 5/16 = 31.25
    expect(scores.domains[0]?.points).toBe(30)
    expect(scores.citable).toBe(false)
  })

  test('always has all 16 domains in map order, whatever was fixed', () => {
    fc.assert(
      fc.property(fixedPerCategory, (fixed) => {
        const scores = practiceScores(live, SUBMISSION, practiceOf(fixed))
        expect(scores.domains.map(({ slug }) => slug)).toEqual(
          practiceScores(live, SUBMISSION, []).domains.map(({ slug }) => slug),
        )
        expect(scores.domains.slice(4).every(({ points }) => points === null)).toBe(true)
        for (const { points } of scores.domains.slice(0, 4)) expect((points ?? 1) % 5).toBe(0)
      }),
    )
  })

  test('never falls when one more task is fixed', () => {
    fc.assert(
      fc.property(fixedPerCategory, fc.nat(63), (fixed, index) => {
        const more = fixed.map((n, i) => (i === index ? Math.min(16, n + 1) : n))
        const before = practiceScores(live, SUBMISSION, practiceOf(fixed))
        const after = practiceScores(live, SUBMISSION, practiceOf(more))
        expect(after.overall).toBeGreaterThanOrEqual(before.overall ?? 0)
        for (const [i, { points }] of after.domains.entries()) {
          expect(points ?? 0).toBeGreaterThanOrEqual(before.domains[i]?.points ?? 0)
        }
      }),
    )
  })

  test('shows no rate over fewer than 40 tasks', () => {
    const sizes = fc.record({ categories: fc.integer({ min: 1, max: 40 }), practice: fc.nat(20) })
    fc.assert(
      fc.property(sizes, ({ categories, practice }) => {
        const card = sampleCard('live', { categories, practice })
        const scores = practiceScores(card, SUBMISSION, [])
        const inFirst = Math.min(16, categories) * practice
        expect(scores.domains[0]?.points === null).toBe(inFirst < SMALLEST_CELL)
        expect(scores.overall === null).toBe(categories * practice < SMALLEST_CELL)
      }),
    )
  })

  test('counts a missing tally as nothing fixed, and leaves an overlay out', () => {
    const all = practiceOf(Array(64).fill(16))
    expect(practiceScores(live, SUBMISSION, all).overall).toBe(100)
    expect(practiceScores(live, SUBMISSION, all.slice(0, 32)).overall).toBe(50)
    const card = sampleCard('live', { categories: 4, overlay: true })
    const overlay = [{ category: 'acme-ledger', practice: sampleCounts(16, 16) }]
    expect(practiceScores(card, SUBMISSION, overlay).overall).toBe(0)
  })

  test('moves not at all when one task of a domain changes between two grid points (R01)', () => {
    const fixed = Array(64).fill(8)
    const more = fixed.map((n, i) => (i === 0 ? n + 1 : n))
    expect(practiceScores(live, SUBMISSION, practiceOf(more))).toEqual(
      practiceScores(live, SUBMISSION, practiceOf(fixed)),
    )
  })
})

describe('the release of sealed numbers', () => {
  test('is one instant for everybody: it follows from the card alone', () => {
    expect(releaseSeconds(live)).toBe(release)
    expect(releaseInstant(live)).toBe('2026-11-30T00:00:00Z')
    expect(releaseInstant(room)).toBeNull()
    expect(releaseInstant(open)).toBeNull()
    expect(isReleased(live, release - 1)).toBe(false)
    expect(isReleased(live, release)).toBe(true)
    expect(isReleased(room, 0)).toBe(true)
    expect(isReleased(open, 0)).toBe(true)
  })

  test('gives a live sealed submission nothing before it, whatever its state', () => {
    fc.assert(
      fc.property(states, fc.integer({ min: 0, max: release - 1 }), (state, now) => {
        expect(releaseOf(live, 'sealed', state, now)).toBe('nothing')
      }),
    )
    expect(releaseOf(live, 'sealed', 'scored', release)).toBe('report')
  })

  test('gives practice scores at once and never a report for them', () => {
    expect(releaseOf(live, 'practice', 'scored', close - 1)).toBe('practice_scores')
    expect(releaseOf(live, 'practice', 'scored', release + 1)).toBe('practice_scores')
    expect(releaseOf(live, 'practice', 'judging', close)).toBe('nothing')
  })

  test('happens on scoring in rooms and open epochs', () => {
    for (const card of [room, open]) {
      expect(releaseOf(card, 'sealed', 'scored', 0)).toBe('report')
      expect(releaseOf(card, 'sealed', 'judging', 0)).toBe('nothing')
      expect(releaseOf(card, 'sealed', 'incomplete', 0)).toBe('nothing')
    }
  })
})

describe('visibleProgress', () => {
  const progress = fc.record({ state: states, total: fc.constant(64), done: fc.nat(64) })

  test('is constant for a live sealed submission from its receipt to the release (R06)', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(progress, fc.integer({ min: 0, max: release - 1 }), (stored, now) => {
        if (stored.state === 'open' || stored.state === 'cancelled') return
        const withReason: Progress = { ...stored, reason: 'sandbox_failed' }
        seen.add(canonicalJson(visibleProgress(live, 'sealed', withReason, now)))
      }),
    )
    expect([...seen]).toEqual(['{"done":0,"state":"received","total":64}'])
  })

  test('shows the truth afterwards, and always for practice, rooms and open epochs', () => {
    const stored: Progress = { state: 'incomplete', reason: 'sandbox_failed', total: 64, done: 63 }
    expect(visibleProgress(live, 'sealed', stored, release)).toEqual(stored)
    expect(visibleProgress(live, 'practice', stored, 0)).toEqual(stored)
    expect(visibleProgress(room, 'sealed', stored, 0)).toEqual(stored)
    expect(visibleProgress(open, 'sealed', stored, 0)).toEqual(stored)
  })
})

describe('everything that is shown before the close', () => {
  const sealedFixed = fc.array(fc.nat(80), { minLength: 64, maxLength: 64 })
  const world = fc.record({
    part: fc.constantFrom('practice' as const, 'sealed' as const),
    state: states,
    practice: fixedPerCategory,
    done: fc.nat(64),
    otherDone: fc.nat(64),
    now: fc.integer({ min: close - 28 * 86_400, max: release - 1 }),
  })

  test('keeps every byte when any sealed number changes (non-interference)', () => {
    fc.assert(
      fc.property(world, sealedFixed, sealedFixed, (w, sealedA, sealedB) => {
        const shown = (sealed: readonly number[], done: number): string => {
          const tallies = live.categories.map(({ slug }, i) => {
            const tally = sampleTally(live, slug, sampleCounts(80, sealed[i] ?? 0))
            const practice = sampleCounts(16, w.practice[i] ?? 0)
            return { ...tally, parts: { ...tally.parts, practice } }
          })
          const what = releaseOf(live, w.part, w.state, w.now)
          return canonicalJson({
            progress: visibleProgress(live, w.part, { state: w.state, total: 64, done }, w.now),
            what,
            practice:
              what === 'practice_scores'
                ? practiceScores(
                    live,
                    SUBMISSION,
                    tallies.map(({ category, parts }) => ({ category, practice: parts.practice })),
                  )
                : null,
          })
        }
        // The pace of sealed judging may depend on sealed verdicts; the pace of practice may not.
        const otherDone = w.part === 'sealed' && !['open', 'cancelled'].includes(w.state)
        expect(shown(sealedA, w.done)).toBe(shown(sealedB, otherDone ? w.otherDone : w.done))
        expect(what(w.part, w.state, w.now)).not.toBe('report')
      }),
    )
  })
  const what = (part: 'practice' | 'sealed', state: SubmissionState, now: number) =>
    releaseOf(live, part, state, now)
})

describe('spend', () => {
  const none = { practice: 0, sealed: 0 }
  const spendTimes = (
    times: number,
    part: 'practice' | 'sealed',
    kind: 'open' | 'live' | 'room',
  ) => {
    let used = none
    for (let n = 0; n < times; n += 1) {
      const spent = spend(POLICIES[kind], used, part)
      if (!spent.ok) return { refusedAt: n, slug: spent.error.slug }
      used = spent.value
    }
    return used
  }

  test('allows 20 practice runs and 3 sealed submissions in a live epoch', () => {
    expect(spendTimes(25, 'practice', 'live')).toEqual({ refusedAt: 20, slug: 'budget-spent' })
    expect(spendTimes(25, 'sealed', 'live')).toEqual({ refusedAt: 3, slug: 'budget-spent' })
  })
  test('allows one attempt and no practice in a room', () => {
    expect(spendTimes(5, 'sealed', 'room')).toEqual({ refusedAt: 1, slug: 'budget-spent' })
    expect(spendTimes(5, 'practice', 'room')).toEqual({ refusedAt: 0, slug: 'budget-spent' })
  })
  test('counts without limit in an open epoch', () => {
    expect(spendTimes(100, 'sealed', 'open')).toEqual({ practice: 0, sealed: 100 })
  })
  test('is undone by giveBack, never below zero', () => {
    const spent = spend(POLICIES.live, none, 'sealed')
    expect(spent.ok && giveBack(spent.value, 'sealed')).toEqual(none)
    expect(giveBack(none, 'practice')).toEqual(none)
  })
})

describe('judgedParts', () => {
  test('keeps sealed tasks out of a practice run', () => {
    expect(judgedParts('practice')).toEqual(['practice'])
    expect(judgedParts('sealed')).toEqual(['practice', 'sealed'])
  })
})

describe('policySchema', () => {
  test('accepts the policies of all kinds, alone and in a card', () => {
    for (const policy of Object.values(POLICIES)) expect(policySchema.parse(policy)).toEqual(policy)
    for (const card of [live, room, open]) expect(epochCardSchema.parse(card)).toEqual(card)
  })
  test('lets no card of a live epoch or room go below the smallest cell or release early', () => {
    for (const kind of ['live', 'room'] as const) {
      expect(policySchema.safeParse({ ...POLICIES[kind], min_cell: 39 }).success).toBe(false)
    }
    const early = { ...POLICIES.live, sealed: { ...POLICIES.live.sealed, release: 'on_scoring' } }
    expect(policySchema.safeParse(early).success).toBe(false)
  })
})
