import { type EpochCard, epochCardSchema } from '../protocol/epoch.ts'
import { toSeconds } from '../protocol/instant.ts'
import type { Part } from '../protocol/part.ts'

/** The card of a stored epoch. It was written by us, so another shape is a bug and throws. */
export const cardOf = (epoch: { card: string }): EpochCard =>
  epochCardSchema.parse(JSON.parse(epoch.card))

/**
 * When a submission may be closed at the earliest, in milliseconds; null as soon as it is judged.
 * Where numbers are released after the close, the report also states the whole budget that was
 * used, and that is not known before the epoch closes.
 */
export const closableAt = (card: EpochCard, part: Part): number | null =>
  part === 'sealed' && card.policy.sealed.release === 'after_close'
    ? toSeconds(card.closes_at) * 1000
    : null
