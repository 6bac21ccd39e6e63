import type { EpochCard } from './epoch.ts'
import { LIMITS } from './limits.ts'
import { err, ok, type Result } from './result.ts'
import { BUCKETS, type Controls, type Counts, type Tally } from './tally.ts'

/** Far above what a category injects; keeps the sum over all categories an exact integer. */
const MOST_FAULTS = 16

/**
 * Why a tally cannot be used. All of these are faults of ours, never of the model: `versions_differ`
 * needs another sandbox, `controls_failed` quarantines the shard for another try.
 */
export type TallyFault = { reason: 'versions_differ' | 'controls_failed'; why: string }

/** What was asked of the sandbox. */
export type Asked = { card: EpochCard; submission: string; category: string }

/**
 * Checks that a tally answers the question asked and that its numbers can be true. The sandbox runs
 * hostile code, so the API believes no count that contradicts another or exceeds what was sent.
 */
export function fitTally(
  tally: Tally,
  { card, submission, category }: Asked,
): Result<Tally, TallyFault> {
  if (tally.corpus !== card.corpus) return versions('corpus')
  if (tally.epoch !== card.id) return unfit('another epoch')
  if (tally.submission !== submission) return unfit('another submission')
  if (tally.category !== category) return unfit('another category')
  if (!card.categories.some(({ slug }) => slug === category)) return unfit('unknown category')
  if (!controlsHold(tally.controls)) return unfit('a control did not hold')
  const { run, held } = tally.isolation.self_tests
  if (held !== run) return unfit('the isolation did not hold')
  for (const part of ['practice', 'sealed'] as const) {
    const why = contradiction(tally.parts[part], card[part])
    if (why !== undefined) return unfit(`${part}: ${why}`)
  }
  return ok(tally)
}

/** Whether each kind of control ran at least once and did what it must. */
export const controlsHold = (controls: Controls): boolean =>
  Object.values(controls).every(({ run, held }) => run > 0 && held === run)

/** What is impossible about the counts of a part with `asked` tasks; undefined when nothing is. */
export function contradiction(counts: Counts, asked: number): string | undefined {
  if (counts.tasks !== asked) return 'not the number of tasks asked for'
  const bucketed = BUCKETS.reduce((sum, bucket) => sum + counts[bucket], 0)
  if (bucketed !== counts.tasks) return 'the buckets do not sum to the tasks'
  if (counts.fixed > counts.visible_passed) return 'more fixed than pass the visible checks'
  if (counts.visible_passed > counts.tasks - counts.no_answer - counts.invalid) {
    return 'more pass the visible checks than loaded'
  }
  if (counts.regressed > counts.wrong) return 'more regressed than ran to the end and failed'
  if (counts.trapped > counts.wrong) return 'more trapped than ran to the end and failed'
  return contradictoryFaults(counts) ?? contradictoryLines(counts)
}

/** Each task holds at least one fault; a fixed task is rid of all of its own, one that did not run of none. */
function contradictoryFaults(counts: Counts): string | undefined {
  const { tasks, fixed, wrong, faults_injected, faults_mended } = counts
  if (faults_injected < tasks) return 'fewer faults injected than tasks'
  if (faults_injected > MOST_FAULTS * tasks) return 'more faults injected than tasks can hold'
  if (faults_mended < fixed) return 'fewer faults mended than tasks fixed'
  const unmended = tasks - fixed - wrong
  return faults_mended > faults_injected - unmended ? 'more faults mended than ran' : undefined
}

/** Lines are summed over fixed tasks, and no module has more lines than bytes. */
function contradictoryLines({ fixed, lines_changed, lines_needed }: Counts): string | undefined {
  const most = fixed * 2 * LIMITS.moduleBytes
  return lines_changed > most || lines_needed > most ? 'more lines than the fixed have' : undefined
}

const unfit = (why: string) => err<TallyFault>({ reason: 'controls_failed', why })
const versions = (what: string) =>
  err<TallyFault>({ reason: 'versions_differ', why: `another ${what}` })
