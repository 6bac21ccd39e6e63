import type { Meaning } from './meaning.ts'

export const CONCURRENCY_ASYNC = {
  'check-then-act-race': {
    edge: 'Whatever the interleaving at the marked switch points, at most the stated number of claimants win a key.',
    fault:
      'Tests for absence, reaches a switch point (await or store call), then inserts, so two tasks both win.',
  },
  'lost-update-across-await': {
    edge: 'Concurrent changes all take effect and the total is preserved under every schedule.',
    fault: 'Reads a value, yields, and writes back a result computed from the stale value.',
  },
  'callback-under-lock': {
    edge: 'Callbacks run after the state is consistent and outside the lock (or inside, if stated), so they may call back in.',
    fault:
      'Notifies while holding a plain lock, so a callback that reads the state blocks for ever.',
  },
  'lock-ordering-deadlock': {
    edge: 'An operation on two objects takes their locks in one global order, once when both are the same.',
    fault: 'Locks source then target, so opposite transfers wait for each other.',
  },
  'permit-leak-on-failure': {
    edge: 'Each permit taken is given back exactly once on success, failure, timeout and cancellation.',
    fault: 'The release stands after the work without finally, so a failure loses the permit.',
  },
  'cancelled-waiter-handoff': {
    edge: 'A wake-up meant for a waiter that has been cancelled goes to the next live waiter.',
    fault:
      'release() picks one waiter and forgets the permit when that waiter is already cancelled.',
  },
  'optimistic-version-conflict': {
    edge: 'A write succeeds only against the version it was computed from; a conflict recomputes on fresh data up to the limit.',
    fault:
      'Retries with the old snapshot and the new version number, overwriting the other change.',
  },
  'single-flight-sharing': {
    edge: 'Concurrent callers of one key share a single execution and its outcome; the next call after it runs anew.',
    fault:
      'Registers the flight after the first switch point, so two executions start, or never removes a failed one.',
  },
  'worker-shutdown-sentinel': {
    edge: 'Shutdown finishes or drops queued items as stated, and every worker stops.',
    fault: 'Puts one stop mark for n workers, or lets workers leave on the first empty poll.',
  },
  'result-order-mismatch': {
    edge: 'Results line up with their inputs whatever the order of completion.',
    fault: 'Appends results as they complete and zips them with the inputs.',
  },
  'fan-out-failure-policy': {
    edge: 'After one branch fails the others are cancelled and awaited, or left to finish, and the stated error surfaces.',
    fault: 'The first error propagates while siblings run on unobserved.',
  },
  'cancellation-propagation': {
    edge: 'Cancellation stops work at the next switch point, runs clean-up and reaches the canceller.',
    fault:
      'A loop with except BaseException: continue (or a broad retry) swallows the cancellation.',
  },
  'timeout-result-race': {
    edge: 'When a timeout meets a result exactly one outcome is reported and no item or resource is lost.',
    fault: 'Cancels the getter after it has taken an item, which is then dropped.',
  },
  'stale-response-overwrite': {
    edge: 'Only the latest request may change the view; older responses that arrive later are ignored.',
    fault: 'Applies each response on arrival, so a slow old one overwrites the new.',
  },
  'lease-ownership-fencing': {
    edge: 'Only the current holder renews or releases a lease, and a write with an older token is refused.',
    fault:
      "Release deletes the lock without checking the owner, so a late holder frees somebody else's lease.",
  },
  'per-key-serialisation': {
    edge: 'Jobs of one key run one at a time in arrival order, other keys run meanwhile, idle keys leave no trace.',
    fault: "Creates the key's lock on each call, or one error breaks the chain for its key.",
  },
} as const satisfies Record<string, Meaning>
