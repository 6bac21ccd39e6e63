import type { EpochCard } from './epoch.ts'
import { toInstant, toSeconds } from './instant.ts'
import { DOMAIN_SLUGS } from './map.ts'
import type { Part } from './part.ts'
import type { Policy } from './policy-data.ts'
import type { PracticeScores } from './practice.ts'
import type { Refusal } from './problem.ts'
import { err, ok, type Result } from './result.ts'
import type { EndReason, SubmissionState } from './submission.ts'
import type { Counts } from './tally.ts'

/** Submissions of one organisation in one epoch, by the part that they aim at. */
export type Usage = Record<Part, number>

/** The parts whose patches are judged: a practice run never touches a sealed task. */
export const judgedParts = (part: Part): readonly Part[] =>
  part === 'practice' ? ['practice'] : ['practice', 'sealed']

/** Budget of a part; null is unlimited. */
export const budgetOf = (policy: Policy, part: Part): number | null => policy[part].budget

/** Takes one submission from the budget; the new usage, or `budget-spent`. */
export function spend(policy: Policy, used: Usage, part: Part): Result<Usage, Refusal> {
  const budget = budgetOf(policy, part)
  if (budget !== null && used[part] >= budget) {
    return err({ slug: 'budget-spent', detail: `${used[part]} of ${budget} ${part} used` })
  }
  return ok({ ...used, [part]: used[part] + 1 })
}

/** Gives a submission back: a fault of ours and a cancelled upload cost nothing. */
export const giveBack = (used: Usage, part: Part): Usage => ({
  ...used,
  [part]: Math.max(0, used[part] - 1),
})

/**
 * The instant from which sealed numbers of an epoch may be read, in seconds since 1970; null where
 * they may be as soon as they are scored. It follows from the card alone: it is the same for all.
 */
export function releaseSeconds(card: Pick<EpochCard, 'closes_at' | 'policy'>): number | null {
  const { release, delay_seconds } = card.policy.sealed
  return release === 'after_close' ? toSeconds(card.closes_at) + delay_seconds : null
}

/** The release instant as text; null where scoring releases. */
export function releaseInstant(card: Pick<EpochCard, 'closes_at' | 'policy'>): string | null {
  const seconds = releaseSeconds(card)
  return seconds === null ? null : toInstant(seconds)
}

/** Whether anything derived from sealed tasks may leave at this moment. */
export function isReleased(
  card: Pick<EpochCard, 'closes_at' | 'policy'>,
  nowSeconds: number,
): boolean {
  const seconds = releaseSeconds(card)
  return seconds === null || nowSeconds >= seconds
}

/** What a submission shows to its owner besides its state. */
export type Release = 'nothing' | 'practice_scores' | 'report'

/** What may be read of a submission now. A practice run never ends in a report. */
export function releaseOf(
  card: Pick<EpochCard, 'closes_at' | 'policy'>,
  part: Part,
  state: SubmissionState,
  nowSeconds: number,
): Release {
  if (state !== 'scored') return 'nothing'
  if (part === 'practice') return 'practice_scores'
  return isReleased(card, nowSeconds) ? 'report' : 'nothing'
}

/** State and shard counts of a submission, as stored. */
export type Progress = { state: SubmissionState; reason?: EndReason; total: number; done: number }

/**
 * The progress that may be shown. Before the release a sealed submission stays `received` with no
 * shard done, whatever happened since: not even the pace of its judging can be read.
 */
export function visibleProgress(
  card: Pick<EpochCard, 'closes_at' | 'policy'>,
  part: Part,
  progress: Progress,
  nowSeconds: number,
): Progress {
  if (part === 'practice' || isReleased(card, nowSeconds)) return progress
  const { state, total } = progress
  return state === 'open' || state === 'cancelled'
    ? progress
    : { state: 'received', total, done: 0 }
}

/** Nearest multiple of `step` to `passed` of `tasks` in points (0 to 100), ties up; in integers. */
export function gridPoints(passed: number, tasks: number, step: number): number {
  const numerator = 200 * passed + tasks * step
  const denominator = 2 * tasks * step
  const points = ((numerator - (numerator % denominator)) / denominator) * step
  // A step that does not divide 100 has its last grid point above 100.
  return Math.min(points, 100)
}

/** The practice counts of each category of a shard: the only part that a practice score reads. */
export type PracticeCounts = { category: string; practice: Pick<Counts, 'tasks' | 'fixed'> }

/**
 * The scores of a practice run: overall and all 16 domains on their grids, public categories only.
 * Every category counts with the epoch's number of tasks, so that a missing tally cannot raise it.
 */
export function practiceScores(
  card: Pick<EpochCard, 'id' | 'policy' | 'practice' | 'categories'>,
  submission: string,
  shards: readonly PracticeCounts[],
): PracticeScores {
  const { policy, practice } = card
  const fixedBy = new Map(shards.map((shard) => [shard.category, shard.practice.fixed]))
  const open = card.categories.filter((category) => category.origin === 'public')
  const score = (categories: typeof open, step: number): number | null => {
    const tasks = categories.length * practice
    const fixed = categories.reduce((sum, { slug }) => sum + (fixedBy.get(slug) ?? 0), 0)
    return tasks < Math.max(1, policy.min_cell) ? null : gridPoints(fixed, tasks, step)
  }
  return {
    practice: 1,
    citable: false,
    epoch: card.id,
    submission,
    overall: score(open, policy.practice.overall_step),
    domains: DOMAIN_SLUGS.map((slug) => ({
      slug,
      points: score(
        open.filter(({ domain }) => domain === slug),
        policy.practice.domain_step,
      ),
    })),
  }
}
