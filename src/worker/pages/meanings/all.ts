import { CACHING_EXPIRY } from './caching-expiry.ts'
import { CALENDAR_TIME } from './calendar-time.ts'
import { CONCURRENCY_ASYNC } from './concurrency-async.ts'
import { FAILURE_CLEANUP } from './failure-cleanup.ts'
import { IDENTITY_DEDUP } from './identity-dedup.ts'
import { INTERVALS_GRAPHS } from './intervals-graphs.ts'
import type { Meaning } from './meaning.ts'
import { MISSING_CONFIG } from './missing-config.ts'
import { NUMBERS_MONEY } from './numbers-money.ts'
import { ORDERING_AGGREGATION } from './ordering-aggregation.ts'
import { PAGINATION_CURSORS } from './pagination-cursors.ts'
import { PARSING_FORMATS } from './parsing-formats.ts'
import { RESILIENCE_LIMITS } from './resilience-limits.ts'
import { SEQUENCE_BOUNDARIES } from './sequence-boundaries.ts'
import { STATE_PROTOCOLS } from './state-protocols.ts'
import { TEXT_UNICODE } from './text-unicode.ts'
import { TRUST_BOUNDARIES } from './trust-boundaries.ts'

/** By category slug; categories of an overlay have no entry. */
const MEANINGS: ReadonlyMap<string, Meaning> = new Map(
  Object.entries({
    ...SEQUENCE_BOUNDARIES,
    ...PAGINATION_CURSORS,
    ...IDENTITY_DEDUP,
    ...CACHING_EXPIRY,
    ...CALENDAR_TIME,
    ...NUMBERS_MONEY,
    ...TEXT_UNICODE,
    ...PARSING_FORMATS,
    ...ORDERING_AGGREGATION,
    ...INTERVALS_GRAPHS,
    ...CONCURRENCY_ASYNC,
    ...FAILURE_CLEANUP,
    ...STATE_PROTOCOLS,
    ...TRUST_BOUNDARIES,
    ...RESILIENCE_LIMITS,
    ...MISSING_CONFIG,
  }),
)

export function meaningOf(category: string): Meaning | undefined {
  return MEANINGS.get(category)
}
