import type { Gap } from './report.ts'
import type { Counts } from './tally.ts'
import { round4, toRate } from './wilson.ts'

/**
 * The visible-to-hidden gap: mean over tasks of (visible checks pass) - (fixed). A fixed task passes
 * its visible checks too, so each difference is 0 or 1, the counts hold the whole distribution, and
 * the standard error is sqrt(deff p (1 - p) / tasks).
 */
export function toGap(
  { tasks, fixed, visible_passed }: Pick<Counts, 'tasks' | 'fixed' | 'visible_passed'>,
  deff: number,
): Gap {
  const rate = toRate(visible_passed - fixed, tasks, deff)
  const p = tasks === 0 ? 0 : rate.count / tasks
  return { ...rate, se: tasks === 0 ? null : round4(Math.sqrt((deff * p * (1 - p)) / tasks)) }
}
