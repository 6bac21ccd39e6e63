import { z } from 'zod'
import type { Report } from '../../protocol/report.ts'
import type { Checked, CheckLog } from '../workspace/check-log.ts'
import type { Journal } from '../workspace/journal.ts'
import type { TaskEntry } from '../workspace/prompts.ts'

export type CheckCounts = {
  /** Tasks that were asked. */
  answered: number
  checked: number
  /** Every visible check passes. */
  passed: number
  failed: number
  invalid: number
  crashed: number
  timed_out: number
  sealed: { answered: number; passed: number }
}

/** Counts visible outcomes over the answered tasks; an answer without a patch passes nothing. */
export function countChecks(
  tasks: readonly TaskEntry[],
  journal: Journal,
  log: CheckLog,
): CheckCounts {
  const counts: CheckCounts = {
    answered: tasks.length,
    checked: 0,
    passed: 0,
    failed: 0,
    invalid: 0,
    crashed: 0,
    timed_out: 0,
    sealed: { answered: 0, passed: 0 },
  }
  for (const task of tasks) {
    const isSealed = task.part === 'sealed'
    if (isSealed) counts.sealed.answered += 1
    const module = journal.read(task.instanceId)?.module
    const outcome = log.get(task.instanceId)
    if (module === null || module === undefined || outcome === undefined) continue
    counts.checked += 1
    counts[outcome.status] += 1
    if (isSealed && outcome.status === 'passed') counts.sealed.passed += 1
  }
  return counts
}

const FAILURES_SHOWN = 20

export function checkText(
  run: string,
  counts: CheckCounts,
  report: Report | null,
  failures: readonly Checked[],
): string {
  const { answered, checked, passed, failed, invalid, crashed, timed_out } = counts
  const lines = [
    `${run}: ${passed} of ${answered} answers pass every visible check (${share(passed, answered)})`,
    `  ${checked} patches run: ${failed} failed, ${invalid} do not load, ${crashed} crashed, ${timed_out} timed out`,
    ...gapLines(counts, report),
  ]
  const shown = failures.filter(({ status }) => status !== 'passed')
  for (const { instance_id, status, passed: own, total, failures: why } of shown.slice(
    0,
    FAILURES_SHOWN,
  )) {
    lines.push(`  ${instance_id}  ${status}, ${own}/${total}`)
    for (const { assert, outcome } of why.slice(0, 2))
      lines.push(`      ${assert}   got: ${outcome}`)
  }
  if (shown.length > FAILURES_SHOWN) lines.push(`  and ${shown.length - FAILURES_SHOWN} more`)
  return lines.join('\n')
}

/** The distance between what is seen here and what the hidden checks found. */
function gapLines({ sealed }: CheckCounts, report: Report | null): string[] {
  if (report === null || !report.overall.shown) {
    return ['  the hidden checks decide: failmap submit --wait, then this shows the gap']
  }
  const { fixed, gap } = report.overall
  return [
    `  sealed tasks: ${share(sealed.passed, sealed.answered)} pass here, ${share(fixed.count, fixed.of)} are fixed by the hidden checks`,
    `  visible-to-hidden gap in the report: ${share(gap.count, gap.of)} (${gap.count} of ${gap.of} tasks)`,
  ]
}

function share(count: number, of: number): string {
  return of === 0 ? 'none' : `${((100 * count) / of).toFixed(1)} %`
}

const jailSchema = z.object({
  profile: z.string(),
  self_tests: z.object({ run: z.number(), held: z.number() }).optional(),
})

/** How patches are confined on this machine, as the sandbox states it. */
export function isolationText(jail: unknown): string {
  const { data } = jailSchema.safeParse(jail)
  if (data === undefined) return `isolation on this machine: ${JSON.stringify(jail)}`
  const { profile, self_tests: tests } = data
  if (profile === 'unsafe') return 'isolation on this machine: none (--isolation unsafe)'
  const held = tests === undefined ? '' : `, ${tests.held} of ${tests.run} hostile self-tests held`
  return `isolation on this machine: profile ${profile}${held}`
}
