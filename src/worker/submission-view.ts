import type { EpochCard } from '../protocol/epoch.ts'
import { toInstant } from '../protocol/instant.ts'
import { releaseInstant, releaseOf, visibleProgress } from '../protocol/policy.ts'
import { practiceScoresSchema } from '../protocol/practice.ts'
import type { OpenedSubmission, SubmissionView } from '../protocol/submission.ts'
import { cardOf } from './card.ts'
import type { Deps } from './deps.ts'
import { findEpoch } from './store/epochs.ts'
import { findOwned, listOwned, type SubmissionRow } from './store/submissions.ts'
import { countTallies, countTalliesOf } from './store/tallies.ts'

/** A submission of the organisation, or undefined when it has none of that id. */
export async function readOwn(
  deps: Deps,
  organisation: string,
  id: string,
): Promise<SubmissionView | undefined> {
  const row = await findOwned(deps.db, organisation, id)
  if (row === undefined) return undefined
  const [card, done] = await Promise.all([cardOfEpoch(deps, row.epoch), countTallies(deps.db, id)])
  return viewSubmission(row, card, done, deps.now())
}

const LISTED = 100

/** The newest submissions of the organisation. */
export async function readOwnList(deps: Deps, organisation: string): Promise<SubmissionView[]> {
  const rows = await listOwned(deps.db, organisation, LISTED)
  const done = await countTalliesOf(
    deps.db,
    rows.map(({ id }) => id),
  )
  const epochs = [...new Set(rows.map(({ epoch }) => epoch))]
  const cards = new Map(
    await Promise.all(epochs.map(async (id) => [id, await cardOfEpoch(deps, id)] as const)),
  )
  return rows.flatMap((row) => {
    const card = cards.get(row.epoch)
    return card === undefined ? [] : [viewSubmission(row, card, done.get(row.id) ?? 0, deps.now())]
  })
}

/** What the steps of a submission answer: its state, as far as the policy lets it be seen. */
export async function viewOpened(deps: Deps, row: SubmissionRow): Promise<OpenedSubmission> {
  const card = await cardOfEpoch(deps, row.epoch)
  const { state } = viewSubmission(row, card, 0, deps.now())
  return { submission: row.id, state }
}

async function cardOfEpoch(deps: Deps, id: string): Promise<EpochCard> {
  const epoch = await findEpoch(deps.db, id)
  if (epoch === undefined) throw new Error('a submission without its epoch')
  return cardOf(epoch)
}

/** What the owner of a submission may read of it at a moment; the release policy decides. */
export function viewSubmission(
  row: SubmissionRow,
  card: EpochCard,
  done: number,
  now: number,
): SubmissionView {
  const nowSeconds = Math.floor(now / 1000)
  const { state, reason, part, report, practiceScores } = row
  const stored = { state, ...(reason === null ? {} : { reason }), total: row.shardsTotal, done }
  const shown = visibleProgress(card, part, stored, nowSeconds)
  const release = releaseOf(card, part, state, nowSeconds)
  const releaseAt = part === 'sealed' ? releaseInstant(card) : null
  return {
    id: row.id,
    epoch: row.epoch,
    part,
    state: shown.state,
    ...(shown.reason === undefined ? {} : { reason: shown.reason }),
    shards: { total: shown.total, done: shown.done },
    created_at: toInstant(row.createdAt / 1000),
    ...(releaseAt === null ? {} : { release_at: releaseAt }),
    ...(release === 'report' && report !== null ? { report } : {}),
    ...(release === 'practice_scores' && practiceScores !== null
      ? { practice: practiceScoresSchema.parse(JSON.parse(practiceScores)) }
      : {}),
  }
}
