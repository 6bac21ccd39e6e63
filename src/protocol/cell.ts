import { toGap } from './gap.ts'
import type { Policy } from './policy-data.ts'
import type { Cell, Precision, Suppression } from './report.ts'
import { COUNT_KEYS, type Counts } from './tally.ts'
import { designEffect, round4, toRate } from './wilson.ts'

/** Counts of no task. */
export const NO_COUNTS: Counts = {
  tasks: 0,
  fixed: 0,
  wrong: 0,
  crashed: 0,
  timed_out: 0,
  invalid: 0,
  no_answer: 0,
  visible_passed: 0,
  regressed: 0,
  trapped: 0,
  faults_injected: 0,
  faults_mended: 0,
  lines_changed: 0,
  lines_needed: 0,
}

/** Sum of counts, key by key. */
export function addCounts(all: readonly Counts[]): Counts {
  const sum = { ...NO_COUNTS }
  for (const counts of all) {
    for (const key of COUNT_KEYS) sum[key] += counts[key]
  }
  return sum
}

/** The cell of a category, domain or map: its rates, or why it shows none. */
export function toCell(counts: Counts, policy: Policy): Cell {
  const { tasks } = counts
  const answered = tasks - counts.no_answer
  const why = suppression(tasks, answered, policy.min_cell)
  if (why !== undefined) return { shown: false, tasks, answered, why }
  const deff = designEffect(tasks, policy.cluster, policy.rho)
  const rate = (count: number, of = tasks) => toRate(count, of, deff)
  return {
    shown: true,
    tasks,
    answered,
    counts,
    deff: round4(deff),
    fixed: rate(counts.fixed),
    visible: rate(counts.visible_passed),
    gap: toGap(counts, deff),
    overfit: rate(counts.visible_passed - counts.fixed, counts.visible_passed),
    regressed: rate(counts.regressed),
    trapped: rate(counts.trapped),
    faults: rate(counts.faults_mended, counts.faults_injected),
    precision: toPrecision(counts),
  }
}

// Few answers count as well as few tasks: with one patch in a cell its count is one task's verdict.
function suppression(tasks: number, answered: number, minCell: number): Suppression | undefined {
  if (tasks === 0) return 'not_built'
  if (tasks < minCell) return 'few_tasks'
  return answered < minCell ? 'few_answers' : undefined
}

function toPrecision({ lines_changed, lines_needed }: Counts): Precision {
  const ratio = lines_needed === 0 ? null : round4(lines_changed / lines_needed)
  return { lines_changed, lines_needed, ratio }
}
