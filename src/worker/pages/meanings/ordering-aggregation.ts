import type { Meaning } from './meaning.ts'

export const ORDERING_AGGREGATION = {
  'multi-key-sort-direction': {
    edge: 'Each sort key has its own direction, and equal rows keep their input order.',
    fault:
      'Uses one reverse flag for a tuple key, which flips every column, or [::-1], which turns the ties round as well.',
  },
  'null-placement-in-sort': {
    edge: 'Rows with a missing value go to the stated end, and types never meet in a comparison.',
    fault: 'Sorts raw values, which raises on None, or substitutes 0, mixing nulls with zeros.',
  },
  'version-ordering': {
    edge: 'Versions order part by part as numbers, pre-releases before their release, build data as stated.',
    fault: 'Compares text, so 1.10 comes before 1.9, or puts 1.0-rc after 1.0.',
  },
  'heap-tie-payload': {
    edge: 'Items of equal priority leave in insertion order and payloads are never compared.',
    fault: 'Pushes (priority, payload), so ties compare payloads and raise or reorder.',
  },
  'top-k-ties': {
    edge: 'The k best include ties at the cut by the stated rule, and k = 0 and k above the size are defined.',
    fault:
      'Slices sorted rows at k, cutting a tie group by chance, and uses [-k:] so that k = 0 returns all.',
  },
  'rank-method-ties': {
    edge: 'Equal scores share a rank by the stated method, and the next rank is as stated.',
    fault: 'Counts rows (ordinal) or adds one after a tie where competition ranking jumps.',
  },
  'sorted-lookup-side': {
    edge: 'A lookup takes the last entry at or before (or strictly before) the key, and the stated result before the first.',
    fault:
      'Uses bisect_left where bisect_right is needed, so an exact match returns the previous entry.',
  },
  'stable-k-way-merge': {
    edge: 'Merging keeps every item, the order, and source priority on ties, tails included.',
    fault: 'Stops when one input ends, or takes the later source first on equal keys.',
  },
  'missing-group-key': {
    edge: 'Rows with a missing group key, and expected groups without rows, appear exactly as stated.',
    fault: 'Skips rows whose key is falsy and leaves out groups that have no rows.',
  },
  'percentile-method': {
    edge: 'Percentiles follow the stated definition, at 0, at 100 and for one value included.',
    fault: 'Indexes with int(p / 100 * n), off by one and out of range at 100.',
  },
  'partial-aggregate-merge': {
    edge: 'Merging partial results equals aggregating all rows, for mean, extremes, distinct counts and spread, empty parts included.',
    fault: 'Averages the averages of unequal parts and adds up their distinct counts.',
  },
  'histogram-bin-edges': {
    edge: 'Each value falls in exactly one bin; outer edges and values outside follow the rule.',
    fault: 'Computes int((x - lo) / width), which puts the maximum into a bin that does not exist.',
  },
  'moving-average-warmup': {
    edge: 'Before the window is full, over gaps and for missing values the rolling value follows the rule.',
    fault: 'Divides by the window size during warm-up and counts None as 0.',
  },
  'counter-reset-rate': {
    edge: 'The increase of a cumulative counter survives resets, gaps and wraps without negative or giant steps.',
    fault: 'Subtracts neighbours, so a restart gives a negative increase.',
  },
  'event-time-windowing': {
    edge: 'Events belong to windows by their own time, windows close at the watermark, late ones follow the rule.',
    fault:
      'Closes a window on the first later event, so out-of-order events are lost or counted twice.',
  },
  'null-in-aggregate': {
    edge: 'Missing values are left out of, or counted in, sums, means and counts as stated; all-missing gives the stated result.',
    fault: 'Keeps missing rows in the denominator of the mean.',
  },
} as const satisfies Record<string, Meaning>
