import { canonicalJson } from './canonical.ts'
import type { Report } from './report.ts'
import type { Controls, Tally } from './tally.ts'

/** Controls of all shards together. */
export function sumControls(tallies: readonly Tally[]): Controls {
  const sum = (kind: keyof Controls) => ({
    run: tallies.reduce((total, tally) => total + tally.controls[kind].run, 0),
    held: tallies.reduce((total, tally) => total + tally.controls[kind].held, 0),
  })
  return {
    reference: sum('reference'),
    known_failing: sum('known_failing'),
    unsolvable: sum('unsolvable'),
  }
}

/** Each isolation that judged, with its number of shards. */
export const tellIsolation = (tallies: readonly Tally[]): Report['isolation'] =>
  countEqual(tallies.map(({ isolation }) => isolation)).map(({ value, shards }) => ({
    ...value,
    shards,
  }))

/** Each runtime that judged, with its number of shards. */
export const tellRuntimes = (tallies: readonly Tally[]): Report['code']['runtimes'] =>
  countEqual(tallies.map(({ runtime }) => runtime)).map(({ value, shards }) => ({
    ...value,
    shards,
  }))

// By canonical text, so that neither the order of shards nor of members shows in the report.
function countEqual<T>(values: readonly T[]): { value: T; shards: number }[] {
  const groups = new Map<string, { value: T; shards: number }>()
  for (const value of values) {
    const key = canonicalJson(value)
    const shards = (groups.get(key)?.shards ?? 0) + 1
    groups.set(key, { value, shards })
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group)
}
