import { type EpochCard, epochCardSchema } from '../protocol/epoch.ts'
import { toSeconds } from '../protocol/instant.ts'
import type { Part } from '../protocol/part.ts'

/** Cards never change, so a parsed one serves every later request of the isolate. */
const parsed = new Map<string, EpochCard>()
const MOST_PARSED = 64

/** The card of a stored epoch. It was written by us, so another shape is a bug and throws. */
export function cardOf(epoch: { card: string; cardSha256: string }): EpochCard {
  const known = parsed.get(epoch.cardSha256)
  if (known !== undefined) return known
  const card = epochCardSchema.parse(JSON.parse(epoch.card))
  if (parsed.size >= MOST_PARSED) parsed.clear()
  parsed.set(epoch.cardSha256, card)
  return card
}

/**
 * When a submission may be closed at the earliest, in milliseconds; null as soon as it is judged.
 * Where numbers are released after the close, the report also states the whole budget that was
 * used, and that is not known before the epoch closes.
 */
export const closableAt = (card: EpochCard, part: Part): number | null =>
  part === 'sealed' && card.policy.sealed.release === 'after_close'
    ? toSeconds(card.closes_at) * 1000
    : null
