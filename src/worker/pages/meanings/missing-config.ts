import type { Meaning } from './meaning.ts'

export const MISSING_CONFIG = {
  'falsy-value-override': {
    edge: "An explicit 0, False, '' or empty list is kept, and only a missing value takes the default.",
    fault:
      'Writes "value or default", so a discount of 0 or a timeout of 0 turns into the default.',
  },
  'null-vs-absent-patch': {
    edge: 'In a patch null clears a field, an absent field stays, and nested objects are patched as stated.',
    fault: 'Skips None values, so nothing can be cleared, or writes None for absent fields.',
  },
  'deep-merge-recursion': {
    edge: 'Nested maps merge key by key, scalars and type clashes follow the rule, inputs stay unchanged.',
    fault: 'Merges with {**base, **override}, dropping sibling keys of nested maps.',
  },
  'list-merge-strategy': {
    edge: 'Lists are replaced, appended or merged by item id as stated, in the stated order, and merging again changes nothing.',
    fault: 'Appends on every reload where replacement is stated, so entries double each time.',
  },
  'layer-precedence-order': {
    edge: 'The highest layer that sets a key wins, and "sets" excludes parser defaults and, if stated, empty text.',
    fault: 'Counts command-line defaults as set, so they always beat the file.',
  },
  'boolean-text-parse': {
    edge: 'The listed spellings map to true or false and everything else is refused or defaulted as stated.',
    fault: 'Calls bool(text), so "false" and "0" are true.',
  },
  'placeholder-interpolation': {
    edge: 'References resolve to the stated depth with escapes, defaults and cycle detection; missing ones follow the rule.',
    fault: 'Replaces once, so nested references remain, and loops for ever on a cycle.',
  },
  'vacuous-truth-on-empty': {
    edge: 'Rules over "all" or "any" of an empty set give the stated business answer.',
    fault: 'Relies on all([]) being True, so an order without approvals counts as approved.',
  },
  'zero-length-text-split': {
    edge: 'Empty and blank text yields no items, and empty items inside are kept or dropped as stated.',
    fault: "''.split(',') gives [''], so one phantom item is processed.",
  },
  'null-key-join': {
    edge: 'Rows with a missing key never match each other (unless stated), and unmatched rows appear as the join type says.',
    fault: 'Joins through a dict, so None meets None and unmatched rows disappear.',
  },
  'inherited-override-chain': {
    edge: "The effective value is the node's own or the nearest ancestor's; explicit null, reset and sums follow the rule.",
    fault: 'Writes node.value or parent_value, so an explicit 0 inherits.',
  },
  'payload-version-migration': {
    edge: 'Old payloads are upgraded step by step, a missing version means the stated one, newer ones follow the rule.',
    fault: 'Runs if/elif steps, so version 1 stops at version 2.',
  },
  'deprecated-key-alias': {
    edge: 'Old and new names are accepted; both present, transformed values and warnings follow the rule.',
    fault: 'Reads data.get(new) or data.get(old), so a falsy new value yields the old one.',
  },
  'reload-keeps-last-good': {
    edge: 'A failing reload leaves the active settings untouched, and a good one is applied whole and announces real changes.',
    fault: 'Assigns sections while parsing, so a bad later one leaves a mixture.',
  },
  'three-valued-filter': {
    edge: 'A condition on a missing field is unknown, and not, and, or, != and "not in" treat unknown as stated.',
    fault: 'Evaluates None != \'x\' as True, so records without the field pass a "not" filter.',
  },
  'forward-fill-limits': {
    edge: 'A gap takes the last known value up to the limit, never across groups or from the future; leading gaps stay.',
    fault: 'Fills without limit and across customers, and treats 0 as a gap.',
  },
} as const satisfies Record<string, Meaning>
