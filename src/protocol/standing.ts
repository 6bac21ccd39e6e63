import {
  compareFractions,
  type Fraction,
  fractionToNumber,
  lowerTail,
  upperTail,
} from './binomial.ts'
import type { Standing } from './report.ts'

/** A category that takes part in the comparison. */
export type Contender = { slug: string; fixed: number; tasks: number; deff: number }

/** What the comparison says about a category; the p-values are one-sided, to four decimals. */
export type Comparison = { standing: Standing; p_weaker: number | null; p_stronger: number | null }

const UNTESTED: Comparison = { standing: 'untested', p_weaker: null, p_stronger: null }

/**
 * Benjamini-Hochberg: which of the p-values are rejected at a false discovery rate of `percent`.
 * The i-th smallest of m is compared with q i / m; all up to the largest that passes are rejected.
 */
export function benjaminiHochberg(values: readonly Fraction[], percent: number): boolean[] {
  const order = values
    .map((value, index) => ({ value, index }))
    .sort((a, b) => compareFractions(a.value, b.value))
  const denominator = 100n * BigInt(values.length)
  const passes = order.map(({ value }, i) => {
    const bound = { numerator: BigInt(percent) * BigInt(i + 1), denominator }
    return compareFractions(value, bound) <= 0
  })
  const rejected = new Set(order.slice(0, passes.lastIndexOf(true) + 1).map(({ index }) => index))
  return values.map((_, index) => rejected.has(index))
}

/**
 * Compares each category with the rate of all the others: a binomial tail on the effective counts
 * (both divided by the design effect and rounded), then Benjamini-Hochberg in each direction.
 * A single category has nothing to be compared with.
 */
export function compareCategories(
  contenders: readonly Contender[],
  percent: number,
): ReadonlyMap<string, Comparison> {
  const fixed = contenders.reduce((sum, contender) => sum + contender.fixed, 0)
  const tasks = contenders.reduce((sum, contender) => sum + contender.tasks, 0)
  const tested = contenders.filter((contender) => contender.tasks > 0 && contender.tasks < tasks)
  const tails = tested.map((contender) => {
    const yes = fixed - contender.fixed
    const no = tasks - contender.tasks - yes
    const of = Math.round(contender.tasks / contender.deff)
    const count = Math.round(contender.fixed / contender.deff)
    return { lower: lowerTail(count, of, yes, no), upper: upperTail(count, of, yes, no) }
  })
  const lower = tails.map((tail) => tail.lower)
  const upper = tails.map((tail) => tail.upper)
  const weak = benjaminiHochberg(lower, percent)
  const strong = benjaminiHochberg(upper, percent)
  const comparisons = new Map(contenders.map(({ slug }) => [slug, UNTESTED]))
  for (const [index, { slug }] of tested.entries()) {
    const tail = tails[index]
    if (tail === undefined) continue
    comparisons.set(slug, {
      standing: weak[index] ? 'weaker' : strong[index] ? 'stronger' : 'unresolved',
      p_weaker: fractionToNumber(tail.lower),
      p_stronger: fractionToNumber(tail.upper),
    })
  }
  return comparisons
}
