import type { Meaning } from './meaning.ts'

export const SEQUENCE_BOUNDARIES = {
  'tail-slice-zero': {
    edge: 'last_n(items, n) returns exactly the final n items in the stated order, and an empty list when n is 0.',
    fault:
      'Uses items[-n:], so n=0 turns into items[0:] and hands back the whole history instead of nothing.',
  },
  'rotation-offset': {
    edge: 'Rotating by k is defined for every integer k, for k beyond the length and for the empty sequence.',
    fault:
      'Slices items[-k:] + items[:-k] without reducing k, so any shift larger than the length silently returns the list unrotated.',
  },
  'fencepost-sampling': {
    edge: 'n samples over [a, b] are n points with n-1 equal gaps, both ends included unless the contract says half-open.',
    fault:
      'Takes the step as (b - a) / n, so the last point misses b and every gap is short (and the repaired step divides by zero for n=1).',
  },
  'sliding-window-coverage': {
    edge: 'Every window of width k at the stated step is visited, including the one ending on the last element.',
    fault:
      'Loops over range(len(xs) - k), which leaves out the final window, and the only one when the input is exactly k long.',
  },
  'chunk-remainder': {
    edge: 'Splitting into chunks of n keeps every item once and in order; the short chunk follows the remainder rule.',
    fault:
      'Uses zip(*[iter(items)] * n) or stops at len(items) - n, silently losing the final partial chunk.',
  },
  'run-grouping-flush': {
    edge: 'Consecutive items with the same key form one run, and the run still open at the end counts like any other.',
    fault: 'Emits a run only when the key changes, so the final run is never emitted.',
  },
  'in-place-removal-skip': {
    edge: 'Every element is tested exactly once although matching ones leave the same list object.',
    fault:
      'Deletes from the list inside its own for loop, so the element after each removed one is skipped.',
  },
  'one-based-ranges': {
    edge: 'Positions shown to users start at 1 and a range names its last element inclusively; storage is zero-based and half-open.',
    fault:
      'Subtracts 1 from both ends before slicing, so the last requested line is missing and position 0 wraps to the final element.',
  },
  'reorder-index-shift': {
    edge: 'move(src, dst) leaves the item at the stated place of the final list, whichever side it came from.',
    fault:
      'Pops at src and inserts at a dst computed against the old list, so moves to the right land one place off.',
  },
  'ring-buffer-wrap': {
    edge: 'A buffer of capacity c holds the newest c items and reads oldest first, also right after wrapping.',
    fault:
      'Tells full from empty by head == tail, so a full ring reads as empty, and reading starts at physical slot 0.',
  },
  'neighbour-wraparound': {
    edge: 'Cells on an edge have fewer neighbours unless the board is declared to wrap.',
    fault:
      'Reads grid[r-1][c] with r = 0, so index -1 silently takes the far edge while only the other side is guarded.',
  },
  'sentinel-trim': {
    edge: 'Only leading and trailing pads go; interior pads stay; an all-pad input gives the stated result.',
    fault:
      'Finds the first and last real index and slices items[first:last], losing the last real item, and crashes when there is none.',
  },
  'parallel-length-mismatch': {
    edge: 'Columns that belong together must match in length; what happens to surplus items is stated, never silent.',
    fault: 'Zips the columns, so the surplus of the longer one disappears without a sign.',
  },
  'one-shot-iterator-reuse': {
    edge: 'Inputs may be any iterable, including one that can be walked a single time.',
    fault:
      'Walks the argument twice (validate then process, count then total), so a generator gives an empty second pass.',
  },
  'lookahead-falsy-item': {
    edge: "Peeking and end detection work for every item value, including None, 0, '' and False.",
    fault:
      'Uses None (or truthiness) from next(it, None) as the end mark, so a falsy item ends the stream early.',
  },
  'batch-flush-triggers': {
    edge: 'A batch is sent when its count, weight or age limit is reached, and what is left is sent once on close.',
    fault:
      'Flushes only inside add() at the limit, so the final partial batch is lost, or an overweight item sends an empty batch first.',
  },
} as const satisfies Record<string, Meaning>
