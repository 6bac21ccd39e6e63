import type { Meaning } from './meaning.ts'

export const RESILIENCE_LIMITS = {
  'retry-attempt-accounting': {
    edge: 'The number of calls is as stated, waits occur only between attempts, and the stated error surfaces.',
    fault:
      'Loops over range(max_retries), calling once too few, and sleeps after the final failure.',
  },
  'backoff-growth-cap': {
    edge: 'The n-th wait follows the stated growth, stays within cap and jitter range, and starts over after success.',
    fault:
      'Starts the exponent one off, applies the cap before the jitter, or overflows for large n.',
  },
  'retryable-classification': {
    edge: 'Only the listed failures are retried, unsafe operations only under the stated condition, the rest surfaces at once.',
    fault:
      'Catches Exception and retries validation errors, or compares exact types and misses subclasses.',
  },
  'retry-after-header': {
    edge: "The header's seconds or date set the next wait by the stated rule; past, huge or malformed values follow theirs.",
    fault: 'Reads int(header) (or its first character), fails on dates and sleeps negative time.',
  },
  'deadline-budget': {
    edge: 'Total time including waits stays within the budget, and no attempt starts that cannot be useful.',
    fault: 'Checks the deadline before the wait only, so the wait overshoots it.',
  },
  'idempotency-key-reuse': {
    edge: 'All attempts of one operation carry one key, and different operations never share one.',
    fault: 'Makes the key inside the attempt, so a retry after a timeout acts twice.',
  },
  'retry-partial-output': {
    edge: 'A retried step leaves output and input position as if it had run once.',
    fault: 'An attempt appends to the shared output before failing, so the retry doubles it.',
  },
  'token-bucket-refill': {
    edge: 'Tokens refill at the rate up to capacity with fractions kept, and each request is judged at its own time.',
    fault:
      'Moves the refill stamp while truncating fractions (or leaves it frozen while full), starving or over-admitting.',
  },
  'sliding-window-log': {
    edge: 'At most n accepted events lie in any window of length w; an event exactly w old counts as stated.',
    fault: 'Evicts on the wrong side of the edge, or records refused attempts too.',
  },
  'fixed-window-alignment': {
    edge: 'Counts reset at window starts aligned as stated and never in between.',
    fault:
      'Aligns to the first request where clock alignment is stated, or lets the boundary request fall into the old window.',
  },
  'breaker-trip-count': {
    edge: 'The breaker opens on the stated condition, counting listed failures only.',
    fault: 'Never resets the count on success while closed, so rare failures add up for ever.',
  },
  'half-open-probe-limit': {
    edge: 'After the open period a limited number of probes passes, their outcomes decide, and others are refused meanwhile.',
    fault: 'Half-open admits everyone, and a failing probe does not reopen.',
  },
  'redelivery-dead-letter': {
    edge: 'Unacknowledged messages return after the visibility time and go to dead letters once, after the stated deliveries.',
    fault:
      'Counts deliveries from zero, allowing one extra, or a late acknowledgement settles the newer delivery.',
  },
  'debounce-throttle-edges': {
    edge: 'Leading and trailing calls fire as stated, with the stated arguments at the stated instants.',
    fault: 'Fires with the arguments of the first call, or drops the last call of a burst.',
  },
  'weighted-fair-dispatch': {
    edge: 'Over a cycle each source gets its share in the stated pattern, and idle, joining and leaving ones follow the rule.',
    fault:
      'Expands the weights into blocks where a smooth pattern is stated, and removal shifts the pointer.',
  },
  'hysteresis-flapping': {
    edge: 'The state turns on after m readings above the high limit and off after n below the low one; between them nothing changes.',
    fault: 'Uses one threshold both ways, or does not reset the count, so the state flaps.',
  },
} as const satisfies Record<string, Meaning>
