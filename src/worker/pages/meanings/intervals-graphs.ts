import type { Meaning } from './meaning.ts'

export const INTERVALS_GRAPHS = {
  'overlap-touching-ends': {
    edge: 'Intervals overlap by the stated end convention; equality and enclosure count, touching as stated.',
    fault:
      'Tests whether one start lies strictly inside the other, missing equal starts and enclosure.',
  },
  'interval-merge-nesting': {
    edge: 'The union of intervals is the least sorted set; nested ones vanish and touching ones join as stated.',
    fault:
      'Takes the end of the later interval instead of the larger end, so a nested one shortens the union.',
  },
  'interval-subtraction-split': {
    edge: 'Removing an interval leaves zero, one or two pieces with the right ends and payload.',
    fault: 'Trims left and right overlaps but not the middle, so one piece keeps the removed part.',
  },
  'free-slot-search': {
    edge: 'The first slot of the needed length inside working hours is found, before the first and after the last booking too.',
    fault:
      'Looks between consecutive bookings only and measures from the previous end, not the latest end so far.',
  },
  'peak-concurrency-ties': {
    edge: 'The largest simultaneous count treats an end and a start at one instant as stated.',
    fault: 'Sorts by time alone, so starts before ends at a tie inflate the peak.',
  },
  'window-clipped-duration': {
    edge: 'Usage inside a reporting window is the sum of clipped pieces, counted once where they cover the same time.',
    fault:
      'Adds the full length of whatever touches the window, or negative lengths for what lies outside.',
  },
  'effective-dating': {
    edge: 'At each date at most one version is in force; closing, backdating and open ends follow the rule.',
    fault:
      'Closes the old version on the same day the new one starts, so two are in force or none is.',
  },
  'cron-day-fields': {
    edge: 'Day of month and day of week combine as stated, with ranges, steps, names and both numbers for Sunday.',
    fault:
      'Judges a field as unrestricted by the count of its values, so 1-31 behaves like a star and the days are ANDed.',
  },
  'missed-run-catch-up': {
    edge: 'After a pause missed runs are executed by the stated policy and later runs stay on the grid.',
    fault: 'Schedules the next run at now + interval, so the grid drifts.',
  },
  'timer-queue-reschedule': {
    edge: 'A rescheduled or cancelled timer has one effect, superseded entries never fire, equal deadlines fire in order.',
    fault: 'Pushes a second heap entry on reschedule, so the old one fires as well.',
  },
  'topological-order-ties': {
    edge: 'Every node follows its prerequisites, ready nodes are ordered by the tie rule, unknown ones follow the rule.',
    fault: 'Loses nodes named only as prerequisites and decrements twice for repeated edges.',
  },
  'cycle-vs-diamond': {
    edge: 'Only real cycles are reported, by their own nodes in order; shared dependencies are fine.',
    fault:
      'Uses one visited set for "on the path" and "done", so the second way to a shared node is called a cycle.',
  },
  'reachability-closure': {
    edge: 'The affected set is every node reachable along the stated direction within the depth, each once.',
    fault: 'Follows edges the wrong way or counts the start as depth 1.',
  },
  'shortest-path-relaxation': {
    edge: 'The cheapest route is found with zero weights, ties follow the rule, unreachable is reported as stated.',
    fault:
      'Marks a node final when first seen, or tests dist.get(n) for truth, so 0 looks unknown.',
  },
  'tree-rebuild-orphans': {
    edge: 'Rows with parent ids in any order form a tree; roots, orphans, self-parents and child order follow the rule.',
    fault: 'Needs parents before children, and "if not parent" makes parent 0 a root.',
  },
  'rollup-double-count': {
    edge: 'Totals of a hierarchy count each contribution once or per path as stated, own values included.',
    fault: 'Sums recursively over shared nodes, counting them once per path.',
  },
} as const satisfies Record<string, Meaning>
