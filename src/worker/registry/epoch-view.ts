import { type EpochList, type EpochView, epochPhase } from '../../protocol/epoch.ts'
import { toInstant } from '../../protocol/instant.ts'
import { isReleased, releaseInstant } from '../../protocol/policy.ts'
import { cardOf } from '../card.ts'
import type { Deps } from '../deps.ts'
import { type EpochRow, findEpoch, listEpochs } from '../store/epochs.ts'

/** What anybody may read of an epoch now; its root key only once it is revealed. */
export async function viewEpoch(deps: Deps, id: string): Promise<EpochView | undefined> {
  const row = await findEpoch(deps.db, id)
  return row === undefined ? undefined : toView(deps, row)
}

function toView(deps: Deps, row: EpochRow): EpochView {
  const card = cardOf(row)
  const nowSeconds = Math.floor(deps.now() / 1000)
  const phase = epochPhase(card, nowSeconds)
  // An open epoch hides nothing; any other key is revealed when its numbers are, after the close.
  const isRevealed =
    card.kind === 'open' ? phase !== 'upcoming' : phase === 'closed' && isReleased(card, nowSeconds)
  return {
    card,
    card_sha256: row.cardSha256,
    phase,
    release_at: releaseInstant(card),
    root: isRevealed ? (deps.settings.epochKeys.get(row.id) ?? null) : null,
  }
}

/** All epochs whose prompts are stored, newest first. */
export async function viewEpochs(deps: Deps): Promise<EpochList> {
  const rows = await listEpochs(deps.db)
  const nowSeconds = Math.floor(deps.now() / 1000)
  return {
    epochs: rows
      .filter(({ promptsStoredAt }) => promptsStoredAt !== null)
      .map((row) => {
        const times = {
          opens_at: toInstant(row.opensAt / 1000),
          closes_at: toInstant(row.closesAt / 1000),
        }
        return {
          id: row.id,
          kind: row.kind,
          title: row.title,
          ...times,
          phase: epochPhase(times, nowSeconds),
          card_sha256: row.cardSha256,
          categories: row.categories,
          tasks: row.tasks,
        }
      }),
  }
}
