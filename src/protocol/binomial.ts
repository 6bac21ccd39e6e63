/** A probability as an exact fraction, so that no rounding of one engine decides a comparison. */
export type Fraction = { numerator: bigint; denominator: bigint }

const ONE: Fraction = { numerator: 1n, denominator: 1n }
const ZERO: Fraction = { numerator: 0n, denominator: 1n }

/**
 * P(X <= count) for X binomial of `of` trials, each true with probability `yes / (yes + no)`.
 * All four are non-negative integers, `count <= of`, `yes + no > 0`.
 */
export function lowerTail(count: number, of: number, yes: number, no: number): Fraction {
  if (count === of || yes === 0) return ONE
  if (no === 0) return ZERO
  const hit = BigInt(yes)
  const miss = BigInt(no)
  // term(i) = C(of, i) hit^i miss^(of - i); each follows from the one before, exactly.
  let term = miss ** BigInt(of)
  let sum = term
  for (let i = 0; i < count; i += 1) {
    term = (term * BigInt(of - i) * hit) / (BigInt(i + 1) * miss)
    sum += term
  }
  return { numerator: sum, denominator: (hit + miss) ** BigInt(of) }
}

/** P(X >= count): the lower tail of the misses. */
export const upperTail = (count: number, of: number, yes: number, no: number): Fraction =>
  lowerTail(of - count, of, no, yes)

/** Negative, zero or positive as `a` is smaller than, equal to or larger than `b`. */
export function compareFractions(a: Fraction, b: Fraction): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The fraction to four decimals, halves up. */
export function fractionToNumber({ numerator, denominator }: Fraction): number {
  return Number((20_000n * numerator + denominator) / (2n * denominator)) / 10_000
}
