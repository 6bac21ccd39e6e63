import type { Meaning } from './meaning.ts'

export const PAGINATION_CURSORS = {
  'keyset-boundary-inclusive': {
    edge: 'A page holds the rows strictly after the cursor row, so a full walk returns every row exactly once.',
    fault:
      'The seek predicate uses >= (<= when descending) against the last row served, so that row is returned twice.',
  },
  'keyset-tie-breaker': {
    edge: 'Rows with equal sort value may straddle a page end without loss, because the cursor carries a unique tie-breaker.',
    fault:
      'The cursor stores the sort value alone and seeks value > cursor, so the other rows of the boundary tie are skipped.',
  },
  'keyset-mixed-direction': {
    edge: 'For an order such as (priority descending, id ascending) the seek predicate follows that exact lexicographic mix.',
    fault:
      'Compares the columns independently (a >= x and b >= y) or as one ascending tuple, leaving out rows that should follow.',
  },
  'keyset-null-position': {
    edge: 'Rows without a sort value have a declared place and the walk passes through them exactly once.',
    fault:
      'The predicate value > cursor is never true for None (or raises), so null rows vanish or the first null ends the walk.',
  },
  'backward-page-order': {
    edge: 'The previous page holds the n rows just before the cursor, in the same display order as forward pages.',
    fault:
      'Takes the first n rows of everything before the cursor, or scans in reverse and forgets to turn the rows back.',
  },
  'has-more-lookahead': {
    edge: 'has_more is true iff a further row exists, and the probe row is never part of the page.',
    fault:
      'Sets has_more = len(rows) == limit, which is wrong at exact multiples, or returns the probe row as content.',
  },
  'page-count-ceiling': {
    edge: 'total_pages is the least number of pages that holds all rows, with the stated value for zero rows.',
    fault: 'Computes total // size + 1, which adds an empty page at exact multiples.',
  },
  'page-number-clamp': {
    edge: 'Page p covers its own slice of rows, and numbers outside the range follow the stated policy.',
    fault:
      'Computes the offset as p * size (skipping page one) or lets page 0 give a negative offset that slices from the end.',
  },
  'post-filter-page-fill': {
    edge: 'A page holds up to n rows that pass the filter, and its cursor tells how far the scan went.',
    fault:
      'Applies the limit first and filters afterwards, giving short or empty pages that callers read as the end.',
  },
  'offset-drift-under-writes': {
    edge: 'A walk over a changing list returns each row that existed throughout exactly once.',
    fault:
      'Advances offset by the page size while processed rows disappear or newer ones are inserted, so rows are skipped or repeated.',
  },
  'cursor-token-binding': {
    edge: 'A token round-trips its values with their types and is refused when filter, sort or tenant differ.',
    fault:
      'Stores str(value) alone, so numbers, None and booleans come back as text and any query accepts the token.',
  },
  'crawl-termination': {
    edge: 'The client follows tokens until there is none; an empty page is not the end and a token seen before is an error.',
    fault: "Stops at the first empty page, or treats '' as a token and loops for ever.",
  },
  'sharded-page-merge': {
    edge: "A merged page takes the globally next n rows and moves each shard's cursor only past rows served.",
    fault:
      'Advances every shard cursor by the batch it fetched, dropping rows fetched but not served.',
  },
  'group-intact-pages': {
    edge: 'Rows of one group stay on one page, and a group larger than a page follows the overflow rule.',
    fault:
      'Cuts after every n rows, so an account or order is torn across two pages, or counts repeated headings as rows.',
  },
  'elided-page-links': {
    edge: 'The bar shows both edges, the current page with its window, and gaps; a gap of one page is shown as that page.',
    fault: 'Clips the window at one end only, repeats page 1, or prints dots between neighbours.',
  },
  'sync-watermark-ties': {
    edge: 'Resuming a sync neither loses rows that share the watermark instant nor repeats them beyond the stated guarantee.',
    fault:
      'Asks for updated_at > mark, losing rows written later in the same tick, or moves the mark before the rows are stored.',
  },
} as const satisfies Record<string, Meaning>
