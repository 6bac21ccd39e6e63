import type { Meaning } from './meaning.ts'

export const FAILURE_CLEANUP = {
  'finally-masks-outcome': {
    edge: "The caller sees the body's result or exception; clean-up replaces neither unless stated.",
    fault:
      'Returns from the finally block, which discards the exception, or lets a clean-up error replace it.',
  },
  'handler-scope-too-wide': {
    edge: 'Only the named failure of the named step is translated; the same type raised by user code passes through.',
    fault:
      'Looks up and calls the handler inside one try, so a KeyError from the handler reads as "unknown name".',
  },
  'all-or-nothing-update': {
    edge: 'A failing multi-part update leaves every visible part as it was.',
    fault: 'Applies the items one by one and raises midway, leaving the first ones changed.',
  },
  'compensation-order': {
    edge: 'On failure the finished steps are compensated in reverse order, and compensation errors follow the rule.',
    fault:
      'Compensates from the first step on, the failed one included, or stops at the first failing compensation.',
  },
  'close-all-resources': {
    edge: 'Every opened resource is closed once, last opened first, and the stated error is reported.',
    fault:
      'Loops over close() calls in opening order and stops at the first that fails, leaving the rest open.',
  },
  'exit-suppression-truthy': {
    edge: 'A context manager suppresses exactly the exceptions it is meant to.',
    fault:
      '__exit__ returns a truthy value (self, or a clean-up result), so every exception vanishes.',
  },
  'partial-acquisition-leak': {
    edge: 'If the k-th acquisition fails, the first k-1 are released in reverse order and nothing else is.',
    fault:
      'Acquires everything before entering the try, so the earlier ones leak when a later one fails.',
  },
  'cause-chain-preservation': {
    edge: 'Wrapped errors keep their cause and the stated attributes, and context is hidden only where stated.',
    fault:
      'Builds the new error outside the except block (or with "from None"), so the cause is lost.',
  },
  'partial-success-report': {
    edge: "A batch reports each item's outcome at its index and stops exactly where the error limit says.",
    fault: 'Collects results and errors apart, so indexes shift, and the limit is off by one.',
  },
  'flag-stuck-after-error': {
    edge: 'Busy marks, depth counters and last-error state are right after every outcome.',
    fault: 'Sets busy, works, clears busy in a straight line, so an exception leaves it set.',
  },
  'idempotent-close': {
    edge: 'Closing twice is harmless, use after close raises the stated error, and a failing close follows the rule.',
    fault: 'A second close runs the end steps again, flushing or decrementing twice.',
  },
  'generator-early-close': {
    edge: 'Stopping a generator early releases its resource at once and exactly once, and nothing more is yielded.',
    fault:
      'The clean-up stands after the loop instead of in finally, so an early stop leaks the resource.',
  },
  'poisoned-pool-return': {
    edge: 'A resource that may be broken or half-used is never handed to the next user.',
    fault:
      'Returns the connection in finally after protocol errors too, so the next user reads a stale reply.',
  },
  'listener-isolation': {
    edge: 'A failing listener does not stop the others, and failures are reported as stated.',
    fault:
      "Calls listeners in a plain loop, so the first failure ends the round and the publisher's operation.",
  },
  'savepoint-nesting': {
    edge: 'Rolling back an inner scope undoes only its changes, and the outer scope decides the rest.',
    fault: 'An inner commit writes through, so a later outer rollback cannot undo it.',
  },
  'exception-mapping-specificity': {
    edge: 'The most specific registered handler is chosen (or the first registered, as stated) for an exception class.',
    fault:
      'Walks a dict with isinstance in insertion order, so a base class entry hides its subclass.',
  },
} as const satisfies Record<string, Meaning>
