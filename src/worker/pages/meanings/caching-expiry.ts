import type { Meaning } from './meaning.ts'

export const CACHING_EXPIRY = {
  'ttl-off-by-one-unit': {
    edge: 'An entry stored at t with lifetime d is served while now lies inside the stated span and stale at the stated instant.',
    fault:
      'Compares now - stored >= ttl - 1 (or rounds both instants down), so legitimate records look stale one unit early.',
  },
  'ttl-unit-mismatch': {
    edge: 'A lifetime keeps its unit and its fraction from the API to the comparison.',
    fault:
      'Adds a lifetime in seconds to a clock in milliseconds, or int() truncates a sub-second lifetime to 0.',
  },
  'sliding-vs-absolute-expiry': {
    edge: 'Idle expiry is renewed by the listed operations only and never beyond the absolute limit.',
    fault:
      'Renews on every access, failed checks and peeks included, and can pass the absolute limit.',
  },
  'lru-recency-order': {
    edge: 'Eviction removes the least recently used key under the stated notion of use, never the key just written.',
    fault:
      'get() does not mark the key as recent, and overwriting a key at capacity evicts another one first.',
  },
  'none-result-caching': {
    edge: "A loader's None, empty or False result is cached like any other, and a loader error is cached only if stated.",
    fault: 'Treats a cached None as a miss, so the loader runs again each time.',
  },
  'memo-argument-key': {
    edge: 'Calls that bind to the same arguments share one entry, and calls that bind differently never do.',
    fault:
      'Builds the key from args and kwargs as written, so f(1, b=2), f(a=1, b=2) and an omitted default miss each other.',
  },
  'cache-context-key': {
    edge: 'Everything the result depends on (tenant, locale, role, schema version) is in the key, and nothing more.',
    fault: "Leaves out one context dimension, so one tenant's value is served to another.",
  },
  'dependent-invalidation': {
    edge: 'Changing a source drops every entry derived from it, directly or through others, and nothing else.',
    fault:
      'Deletes by plain text prefix, so product:1 also clears product:10 while tagged entries survive.',
  },
  'write-through-failure': {
    edge: 'Cache and store agree after every outcome, a raising store write included.',
    fault:
      'Updates the cache before the store, so a failed write leaves a value that was never stored.',
  },
  'stale-while-revalidate': {
    edge: 'Between soft and hard expiry the old value is served and one refresh runs; after hard expiry the stated rule holds.',
    fault:
      'Serves the old value without limit when refreshes fail, or starts a refresh per reader.',
  },
  'weighted-eviction-accounting': {
    edge: 'The total weight never exceeds the budget and always equals the sum of what is present.',
    fault:
      'Overwriting adds the new weight without taking off the old one, so the budget shrinks for ever.',
  },
  'expired-entry-accounting': {
    edge: 'len, iteration, capacity and hit statistics treat expired entries as absent at the instant of the call.',
    fault:
      'len() counts dead entries, and capacity eviction throws out a live one while dead ones remain.',
  },
  'stale-set-after-invalidate': {
    edge: 'A value loaded before an invalidation is never stored after it.',
    fault:
      "Stores the loader's result unconditionally, so an invalidation that ran during the load is undone.",
  },
  'tiered-residual-ttl': {
    edge: 'An entry promoted from the outer to the inner tier carries its remaining lifetime, not a fresh one.',
    fault: 'Fills the inner tier with the full default lifetime, so entries outlive their source.',
  },
  'conditional-request-validators': {
    edge: 'If-None-Match, If-Match and the date headers follow the stated precedence and comparison strength.',
    fault: "Compares the raw header with the tag, so lists, weak tags, '*' and quotes fail.",
  },
  'freshness-lifetime-headers': {
    edge: 'Freshness follows the stated order of s-maxage, max-age, Expires minus Date, and current age includes the Age header.',
    fault: 'Counts max-age from receipt and ignores Age, so responses look fresh too long.',
  },
} as const satisfies Record<string, Meaning>
