import type { Meaning } from './meaning.ts'

export const STATE_PROTOCOLS = {
  'shared-default-state': {
    edge: 'Each call or instance without an explicit value gets its own fresh default.',
    fault:
      "A mutable default argument or class attribute is shared, so one customer's data shows up at another's.",
  },
  'shallow-snapshot-history': {
    edge: 'A snapshot or template never changes when the live object does, nor the other way round after a restore.',
    fault: 'Stores list(x) or copy.copy(x), so nested parts stay shared.',
  },
  'internal-reference-exposure': {
    edge: 'Callers can change what they passed in or got back without changing the object.',
    fault:
      "Returns self._items (or keeps the caller's list), so outside changes bypass every check.",
  },
  'caller-input-mutation': {
    edge: 'Arguments are left as they were unless the function is documented to work in place.',
    fault: 'Sorts, pops or updates the argument, so the second call with the same options differs.',
  },
  'mutation-during-dispatch': {
    edge: 'Listeners added or removed during a dispatch take effect as stated.',
    fault: 'Iterates over the live list, so a removal skips the next listener.',
  },
  'late-binding-closure': {
    edge: 'Each generated callback keeps the value it was made for (or reads the current one, if stated).',
    fault: 'Lambdas made in a loop refer to the loop variable, so all of them use its last value.',
  },
  'undo-redo-branching': {
    edge: 'A new action after undo follows the branch rule; limits, grouping and no-op actions follow theirs.',
    fault: 'Keeps the redo stack after a new action, or the limit drops the newest step.',
  },
  'state-machine-transitions': {
    edge: 'Only listed transitions happen, hooks run in the stated order, and a failing hook leaves the stated state.',
    fault:
      'Sets the new state before guard and exit hook, or checks that the target exists rather than the edge.',
  },
  'secondary-index-desync': {
    edge: 'Every index and counter agrees with the records after add, update, delete and failed operations.',
    fault:
      'An update changes the record but leaves the old index entry, so the old value still finds it.',
  },
  'invariant-bypass-path': {
    edge: 'Every way of making or changing the object enforces the same rule.',
    fault: 'Validation lives in one setter, while replace(), bulk update and from_dict skip it.',
  },
  'rich-comparison-contract': {
    edge: 'All comparison operators and sorting agree with one order, and foreign types raise TypeError from both sides.',
    fault: '__gt__ repeats __lt__, <= lacks equality on ties, or a cmp function returns a bool.',
  },
  'self-iterating-container': {
    edge: 'Each loop over a container is independent, nested and abandoned loops included.',
    fault: '__iter__ resets an index on self and returns self, so nested loops disturb each other.',
  },
  'overconsumed-shared-iterator': {
    edge: 'A helper that takes items from a shared iterator takes exactly those it returns.',
    fault: 'takewhile (or a for loop with break) consumes the first item of the next section.',
  },
  'read-creates-entry': {
    edge: 'Looking up, testing and iterating never create entries; only stated writes do.',
    fault: 'Indexes a defaultdict on the read path, so empty entries appear in len() and exports.',
  },
  'scoped-override-restore': {
    edge: 'Leaving an override scope restores what was before, absent keys and nested or failing scopes included.',
    fault:
      'Restores the default (or None) instead of the previous value, and nothing after an exception.',
  },
  'dirty-flag-tracking': {
    edge: 'A record is dirty exactly by the stated test, and a save reports only the changed fields.',
    fault:
      'Marks dirty on each assignment, misses nested changes, and clears the mark when a save fails.',
  },
} as const satisfies Record<string, Meaning>
