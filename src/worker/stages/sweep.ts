import { isReleased } from '../../protocol/policy.ts'
import type { WorkMessage } from '../../protocol/shard.ts'
import type { EndReason } from '../../protocol/submission.ts'
import { budgetName } from '../budget.ts'
import { cardOf, closableAt } from '../card.ts'
import type { Deps } from '../deps.ts'
import { shardMessage } from '../messages.ts'
import { blobKeys } from '../store/blobs.ts'
import { findEpoch } from '../store/epochs.ts'
import { listUnjudged } from '../store/shards.ts'
import {
  cancelOpen,
  listSilent,
  listStaleOpen,
  markIncomplete,
  markSwept,
  type SubmissionRow,
} from '../store/submissions.ts'
import { deleteUpload, listServedUploads, listStrayUploads } from '../store/uploads.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Without a new tally for this long, a submission ends: nobody waits for ever. */
const GIVE_UP_AFTER = DAY
/** A manifest whose patches have not come for as long as it is valid. */
const OPEN_FOR = 7 * DAY
/** An upload takes minutes; one of this age has no writer any more. */
const UPLOAD_TAKES_AT_MOST = 6 * HOUR
/** Patches are kept this long after the end of a submission, for questions about its report. */
const PATCHES_KEPT = 90 * DAY
/** Rows of one kind in one run, so that a run stays below 50 calls; the rest has its turn in a minute. */
const REVIVED_AT_ONCE = 4
const ABANDONED_AT_ONCE = 3
const UPLOADS_AT_ONCE = 2
/** Patience doubles with each sweep that brought nothing, this many times. */
const MOST_DOUBLINGS = 4

/**
 * What no message and no request will ever finish: queues that forgot, uploads that broke off,
 * epochs that came due, patches that have served. Safe to run at any time, twice, or late.
 */
export async function sweep(deps: Deps): Promise<void> {
  await reviveSilent(deps)
  await endAbandoned(deps)
  await removeUploads(deps)
}

/** Queues the work of silent submissions again; each fruitless sweep is followed by more patience. */
async function reviveSilent(deps: Deps): Promise<void> {
  const now = deps.now()
  const { lostAfterMilliseconds } = deps.settings
  for (const row of await listSilent(deps.db, lostAfterMilliseconds, now, REVIVED_AT_ONCE)) {
    const unjudged = await listUnjudged(deps.db, row.id)
    const since = Math.max(row.progressedAt ?? row.createdAt, await dueSince(deps, row))
    if (now - since > GIVE_UP_AFTER) {
      await giveUp(deps, row.id, 'sandbox_failed')
    } else {
      const messages: WorkMessage[] =
        unjudged.length > 0
          ? unjudged.map((shard) => shardMessage(row.id, shard))
          : [{ v: 1, kind: 'close', submission: row.id }]
      await deps.work.send(messages)
      await markSwept(deps.db, row.id, Math.min(row.sweeps + 1, MOST_DOUBLINGS), now)
      deps.log('requeued', { submission: row.id, messages: messages.length })
    }
  }
}

/** When a submission could be closed at the earliest: waiting for that is no standstill. */
async function dueSince(deps: Deps, row: SubmissionRow): Promise<number> {
  const epoch = await findEpoch(deps.db, row.epoch)
  return epoch === undefined ? 0 : (closableAt(cardOf(epoch), row.part) ?? 0)
}

async function endAbandoned(deps: Deps): Promise<void> {
  const now = deps.now()
  for (const row of await listStaleOpen(deps.db, now - OPEN_FOR, ABANDONED_AT_ONCE)) {
    const ended = await cancelOpen(deps.db, row.id, 'upload_abandoned', now)
    if (ended?.state === 'cancelled') await deps.quota.giveBack(budgetName(row), row.id)
  }
}

async function removeUploads(deps: Deps): Promise<void> {
  const now = deps.now()
  const strays = await listStrayUploads(deps.db, now - UPLOAD_TAKES_AT_MOST, UPLOADS_AT_ONCE)
  const served = await listServedUploads(deps.db, now - PATCHES_KEPT, UPLOADS_AT_ONCE)
  for (const { submission, id } of [...strays, ...served]) {
    await deps.blobs.remove(blobKeys.upload(submission, id))
    await deleteUpload(deps.db, id)
  }
}

/**
 * Ends a submission that we could not judge. It has no score, and its place in the budget is given
 * back, unless that would tell before the release how judging went: a free place is an answer too.
 */
export async function giveUp(deps: Deps, id: string, reason: EndReason): Promise<void> {
  const row = await markIncomplete(deps.db, id, reason, deps.now())
  if (row?.state !== 'incomplete') return
  const epoch = await findEpoch(deps.db, row.epoch)
  const seconds = Math.floor(deps.now() / 1000)
  if (row.part === 'practice' || (epoch !== undefined && isReleased(cardOf(epoch), seconds))) {
    await deps.quota.giveBack(budgetName(row), row.id)
  }
  deps.log('incomplete', { submission: id, reason })
}
