import type { Meaning } from './meaning.ts'

export const IDENTITY_DEDUP = {
  'dedup-key-too-narrow': {
    edge: 'Two events are duplicates only when every identifying field agrees; otherwise both stay.',
    fault:
      'The seen-set is keyed on one field (timestamp, or id without source), so distinct events that share it are dropped.',
  },
  'dedup-window-refresh': {
    edge: 'A repeat is suppressed for w time units from the declared anchor and passes again at the declared edge.',
    fault: 'Every suppressed repeat renews the window, so a steady stream is silenced for ever.',
  },
  'duplicate-survivor-choice': {
    edge: 'Among records of one key the survivor follows the stated rule and sits at the stated position.',
    fault:
      "Builds a dict by key, so the last record wins although it sits at the first one's position.",
  },
  'structural-key-canonical': {
    edge: 'Records equal up to the declared insignificant differences share a key; significant differences never do.',
    fault: 'Uses str(record) or unsorted json.dumps, so the order of keys splits equal records.',
  },
  'cross-type-key-merge': {
    edge: 'True, 1, 1.0 and "1" are one key or several exactly as the contract lists.',
    fault:
      'Uses raw values as dict keys, so True merges with 1 and 1.0 and the first spelling survives.',
  },
  'nan-identity': {
    edge: 'NaN readings count as one value, or never match, as stated, whichever object carries them.',
    fault:
      'Relies on == or set membership, so NaN objects made apart never match while the same object does.',
  },
  'key-concatenation-collision': {
    edge: 'A composite key is injective: different field tuples never give the same key.',
    fault:
      'Joins fields with nothing or with a separator that occurs in the data, so ("ab", "c") meets ("a", "bc").',
  },
  'canonical-id-asymmetry': {
    edge: 'The same canonical form is used to store, check uniqueness, look up, rename and delete.',
    fault:
      'Folds the id on lookup but stores it raw, so twins register and some accounts become unreachable.',
  },
  'eq-hash-contract': {
    edge: 'Objects that compare equal hash equal, and equality ignores exactly the listed fields.',
    fault: '__eq__ folds case while __hash__ uses the raw text, so a set keeps both equal twins.',
  },
  'mutated-key-lookup': {
    edge: 'An object stays findable after permitted updates; a change of its key files it anew.',
    fault:
      'Changes a hashed field while the object sits in a set or dict, so it can no longer be found or removed.',
  },
  'equality-asymmetry': {
    edge: 'a == b and b == a agree for all supported pairs, and foreign types compare unequal without an error.',
    fault:
      '__eq__ reads other.attr unguarded or returns False instead of NotImplemented, so the answer depends on the side.',
  },
  'transitive-entity-merge': {
    edge: 'Records linked through any chain of shared identifiers form one entity.',
    fault:
      'Joins a record only to the first group it matches, so a record bridging two groups leaves them apart.',
  },
  'multiset-difference': {
    edge: 'Comparing two batches respects how often each item occurs: three minus one leaves two.',
    fault: 'Uses sets, so repeated lines vanish from the difference.',
  },
  'idempotent-consumer-record': {
    edge: 'Each message id takes effect once, and an id whose handler failed is processed again on redelivery.',
    fault:
      'Marks the id as done before running the handler, so a failed message is skipped on redelivery.',
  },
  'snapshot-diff-classification': {
    edge: 'Comparing two snapshots puts every id in exactly one of added, removed, changed, unchanged.',
    fault:
      'Tests old.get(id) for truth, so falsy old values show up as added, or compares by position.',
  },
  'last-write-wins-ties': {
    edge: 'The newer write wins and equal stamps are decided by a declared total order, whichever side is merged into which.',
    fault: 'Uses >= on the stamp, so on ties the outcome depends on the merge direction.',
  },
} as const satisfies Record<string, Meaning>
