import type { Rate } from './report.ts'

/** Two-sided 95 % quantile of the normal distribution. */
export const Z95 = 1.959963984540054

/** Rounds to four decimals: finer digits of a share of counts say nothing. */
export const round4 = (value: number): number => Math.round(value * 10_000) / 10_000

/**
 * Design effect of `tasks` tasks in clusters of `cluster` with intra-cluster correlation `rho`:
 * 1 + (sum of squared cluster sizes / tasks - 1) rho. The last cluster holds the remainder.
 */
export function designEffect(tasks: number, cluster: number, rho: number): number {
  if (tasks === 0) return 1
  const rest = tasks % cluster
  const squares = (tasks - rest) * cluster + rest * rest
  return 1 + (squares / tasks - 1) * rho
}

/**
 * Wilson score interval of `count` of `of` at 95 %, on the effective number `of / deff`.
 * Null where `of` is 0. Bounds are shares within [0, 1], not rounded.
 */
export function wilson(
  count: number,
  of: number,
  deff: number,
): { low: number; high: number } | null {
  if (of === 0) return null
  const n = of / deff
  const p = count / of
  const square = Z95 * Z95
  const scale = 1 + square / n
  const centre = (p + square / (2 * n)) / scale
  const half = (Z95 * Math.sqrt((p * (1 - p)) / n + square / (4 * n * n))) / scale
  // At 0 and 1 the bound is exact; the formula misses it by rounding.
  const low = count === 0 ? 0 : Math.max(0, centre - half)
  const high = count === of ? 1 : Math.min(1, centre + half)
  return { low, high }
}

/** `count` of `of` with its interval, to four decimals; nulls where `of` is 0. */
export function toRate(count: number, of: number, deff: number): Rate {
  const interval = wilson(count, of, deff)
  if (interval === null) return { count, of, rate: null, low: null, high: null }
  const { low, high } = interval
  return { count, of, rate: round4(count / of), low: round4(low), high: round4(high) }
}
