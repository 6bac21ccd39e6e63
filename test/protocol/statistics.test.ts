import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareFractions,
  type Fraction,
  fractionToNumber,
  lowerTail,
  upperTail,
} from '../../src/protocol/binomial.ts'
import { toGap } from '../../src/protocol/gap.ts'
import { benjaminiHochberg, compareCategories } from '../../src/protocol/standing.ts'
import { designEffect, toRate, wilson } from '../../src/protocol/wilson.ts'
import vectors from '../vectors/statistics.json'

const perMille = (numerator: number): Fraction => ({
  numerator: BigInt(numerator),
  denominator: 1000n,
})

describe('designEffect', () => {
  test('is 1 + 9 rho for whole clusters of ten', () => {
    expect(designEffect(80, 10, 0.1)).toBeCloseTo(1.9, 12)
    expect(designEffect(20_480, 10, 0.2)).toBeCloseTo(2.8, 12)
  })
  test('counts the last cluster with the tasks it has', () => {
    // Clusters 10, 10, 5: (100 + 100 + 25) / 25 = 9.
    expect(designEffect(25, 10, 0.1)).toBeCloseTo(1.8, 12)
    expect(designEffect(3, 10, 0.1)).toBeCloseTo(1.2, 12)
  })
  test('is 1 for independent tasks, single tasks and no tasks', () => {
    expect(designEffect(80, 10, 0)).toBe(1)
    expect(designEffect(80, 1, 0.5)).toBe(1)
    expect(designEffect(1, 10, 0.5)).toBe(1)
    expect(designEffect(0, 10, 0.5)).toBe(1)
  })
})

describe('wilson', () => {
  test('gives the textbook interval of 8 of 10', () => {
    // (0.8 + z2/20) / (1 + z2/10) -+ z sqrt(0.016 + z2/400) / (1 + z2/10) with z2 = 3.841459
    const interval = wilson(8, 10, 1)
    expect(interval?.low).toBeCloseTo(0.4901625, 6)
    expect(interval?.high).toBeCloseTo(0.9433178, 6)
  })
  test('gives the half-widths of the published table', () => {
    // tasks, share, rho, half-width in points
    const table = [
      [80, 0.6, 0, 10.5],
      [80, 0.6, 0.1, 14.2],
      [80, 0.9, 0.05, 8.1],
      [1280, 0.6, 0.2, 4.5],
      [20_480, 0.6, 0.1, 0.92],
    ] as const
    for (const [tasks, share, rho, half] of table) {
      const interval = wilson(tasks * share, tasks, designEffect(tasks, 10, rho))
      const width = interval === null ? Number.NaN : interval.high - interval.low
      expect(Math.abs(width * 50 - half)).toBeLessThan(half < 1 ? 0.006 : 0.06)
    }
  })
  test('ends exactly at 0 and 1, with a one-sided width of z2 / (n + z2)', () => {
    expect(wilson(0, 10, 1)?.low).toBe(0)
    expect(wilson(0, 10, 1)?.high).toBeCloseTo(0.2775328, 6)
    expect(wilson(10, 10, 1)?.high).toBe(1)
    expect(wilson(10, 10, 1)?.low).toBeCloseTo(0.7224672, 6)
  })
  test('has nothing to say about no tasks', () => {
    expect(wilson(0, 0, 1)).toBeNull()
    expect(toRate(0, 0, 1)).toEqual({ count: 0, of: 0, rate: null, low: null, high: null })
  })
  test('holds the rate, lies within [0, 1] and widens with the design effect', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30_000 }), fc.nat(), (of, seed) => {
        const count = seed % (of + 1)
        const narrow = wilson(count, of, 1)
        const wide = wilson(count, of, 1.9)
        if (narrow === null || wide === null) throw new Error('no interval')
        expect(wide.low).toBeLessThanOrEqual(narrow.low)
        expect(narrow.low).toBeLessThanOrEqual(count / of)
        expect(count / of).toBeLessThanOrEqual(narrow.high)
        expect(narrow.high).toBeLessThanOrEqual(wide.high)
        expect(wide.low).toBeGreaterThanOrEqual(0)
        expect(wide.high).toBeLessThanOrEqual(1)
      }),
    )
  })
  for (const { count, of, deff, rate, low, high } of vectors.rates) {
    test(`of ${count} of ${of} with design effect ${deff} is the same in every language`, () => {
      expect(toRate(count, of, deff)).toEqual({ count, of, rate, low, high })
    })
  }
})

describe('toGap', () => {
  test('is the share that passes in sight and fails hidden, with its standard error', () => {
    // 20 of 100: se = sqrt(1.9 * 0.2 * 0.8 / 100) = 0.05514
    expect(toGap({ tasks: 100, fixed: 50, visible_passed: 70 }, 1.9)).toMatchObject({
      count: 20,
      of: 100,
      rate: 0.2,
      se: 0.0551,
    })
  })
  test('has an interval even where the standard error is 0', () => {
    const none = toGap({ tasks: 80, fixed: 40, visible_passed: 40 }, 1)
    expect(none).toMatchObject({ rate: 0, se: 0, low: 0 })
    expect(none.high).toBeCloseTo(0.0458, 4)
    const all = toGap({ tasks: 80, fixed: 0, visible_passed: 80 }, 1)
    expect(all).toMatchObject({ rate: 1, se: 0, high: 1 })
  })
  test('is unknown for no tasks', () => {
    expect(toGap({ tasks: 0, fixed: 0, visible_passed: 0 }, 1)).toMatchObject({
      rate: null,
      se: null,
    })
  })
})

describe('lowerTail', () => {
  test('adds up the terms by hand', () => {
    // X ~ B(3, 1/3): P(X <= 1) = 8/27 + 12/27
    const tail = lowerTail(1, 3, 1, 2)
    expect(tail).toEqual({ numerator: 20n, denominator: 27n })
    expect(upperTail(2, 3, 1, 2)).toEqual({ numerator: 7n, denominator: 27n })
    expect(fractionToNumber(tail)).toBe(0.7407)
  })
  test('is certain or impossible at the ends', () => {
    expect(fractionToNumber(lowerTail(5, 5, 1, 2))).toBe(1)
    expect(fractionToNumber(lowerTail(0, 5, 0, 7))).toBe(1)
    expect(fractionToNumber(lowerTail(4, 5, 7, 0))).toBe(0)
    expect(fractionToNumber(lowerTail(5, 5, 7, 0))).toBe(1)
    expect(fractionToNumber(upperTail(0, 5, 1, 2))).toBe(1)
    expect(fractionToNumber(upperTail(1, 5, 0, 7))).toBe(0)
    expect(fractionToNumber(lowerTail(0, 0, 1, 1))).toBe(1)
  })
  test('and the upper tail above it make one', () => {
    const trial = fc.record({
      of: fc.integer({ min: 1, max: 60 }),
      yes: fc.integer({ min: 1, max: 9000 }),
      no: fc.integer({ min: 1, max: 9000 }),
      seed: fc.nat(),
    })
    fc.assert(
      fc.property(trial, ({ of, yes, no, seed }) => {
        const count = seed % of
        const lower = lowerTail(count, of, yes, no)
        const upper = upperTail(count + 1, of, yes, no)
        const sum = {
          numerator: lower.numerator * upper.denominator + upper.numerator * lower.denominator,
          denominator: lower.denominator * upper.denominator,
        }
        expect(compareFractions(sum, { numerator: 1n, denominator: 1n })).toBe(0)
      }),
    )
  })
})

describe('benjaminiHochberg', () => {
  test('rejects all up to the largest that passes, in the order given', () => {
    // Bounds at 10 % of 5: .02 .04 .06 .08 .10. The third (.055) passes and carries the second.
    const values = [500, 10, 45, 55, 300].map(perMille)
    expect(benjaminiHochberg(values, 10)).toEqual([false, true, true, true, false])
  })
  test('rejects a value that meets its bound exactly', () => {
    expect(benjaminiHochberg([50, 1000].map(perMille), 10)).toEqual([true, false])
    expect(benjaminiHochberg([51, 1000].map(perMille), 10)).toEqual([false, false])
  })
  test('rejects nothing of nothing', () => {
    expect(benjaminiHochberg([], 10)).toEqual([])
  })
})

describe('compareCategories', () => {
  const even = (fixed: readonly number[]) =>
    fixed.map((n, i) => ({ slug: `c${i}`, fixed: n, tasks: 80, deff: 1.9 }))

  test('flags the category that falls far below the others, and the one far above', () => {
    const standings = compareCategories(even([4, 60, 60, 60, 60, 60, 60, 79]), 10)
    expect([...standings.values()].map(({ standing }) => standing)).toEqual([
      'weaker',
      'unresolved',
      'unresolved',
      'unresolved',
      'unresolved',
      'unresolved',
      'unresolved',
      'stronger',
    ])
    expect(standings.get('c0')?.p_weaker).toBe(0)
    expect(standings.get('c0')?.p_stronger).toBe(1)
  })
  test('resolves nothing among equals, at 0, at 1 and in between', () => {
    for (const n of [0, 40, 80]) {
      for (const { standing } of compareCategories(even(Array(16).fill(n)), 10).values()) {
        expect(standing).toBe('unresolved')
      }
    }
  })
  test('does not test a category that has nothing to be compared with', () => {
    expect(compareCategories(even([7]), 10).get('c0')?.standing).toBe('untested')
    expect(compareCategories([], 10).size).toBe(0)
    const empty = compareCategories(
      [...even([7, 7]), { slug: 'x', fixed: 0, tasks: 0, deff: 1 }],
      10,
    )
    expect(empty.get('x')?.standing).toBe('untested')
  })
  test('does not depend on the order', () => {
    const counts = fc.array(fc.nat(80), { minLength: 2, maxLength: 24 })
    fc.assert(
      fc.property(counts, (fixed) => {
        const forward = compareCategories(even(fixed), 10)
        const backward = compareCategories(even(fixed).reverse(), 10)
        for (const [slug, comparison] of forward) expect(backward.get(slug)).toEqual(comparison)
      }),
    )
  })
  for (const { fixed, tasks, deff, weaker, stronger } of vectors.standings) {
    test(`agrees with exact fractions in another language on ${fixed.length} categories`, () => {
      const contenders = fixed.map((n, i) => ({ slug: String(i), fixed: n, tasks, deff }))
      const standings = compareCategories(contenders, 10)
      const of = (standing: string) =>
        fixed.flatMap((_, i) => (standings.get(String(i))?.standing === standing ? [i] : []))
      expect(of('weaker')).toEqual(weaker)
      expect(of('stronger')).toEqual(stronger)
    })
  }
})
