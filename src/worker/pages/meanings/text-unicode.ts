import type { Meaning } from './meaning.ts'

export const TEXT_UNICODE = {
  'caseless-matching': {
    edge: 'Texts match ignoring case by the stated folding, letters without one-to-one pairs included.',
    fault: 'Compares lower() forms, so sharp s, final sigma and dotted I mismatch or collide.',
  },
  'normalisation-equivalence': {
    edge: 'Canonically equivalent texts compare, count and search as equal; compatibility forms only where stated.',
    fault: 'Compares code points, so composed and decomposed e-acute differ.',
  },
  'grapheme-truncation': {
    edge: "Truncation keeps visible characters whole by the contract's cluster rule (base, marks, joiners, flag pairs).",
    fault: 'Slices code points, cutting off a combining mark or half an emoji sequence.',
  },
  'byte-limit-truncation': {
    edge: 'The result fits n bytes in the stated encoding, stays valid, is the longest such prefix and includes the marker if cut.',
    fault: 'Slices n characters, or cuts bytes and decodes with replacement, exceeding the limit.',
  },
  'incremental-decoding': {
    edge: 'Bytes arriving in any pieces decode to the text of the whole, and a cut-off tail is reported at the end.',
    fault:
      'Decodes each piece on its own, raising or inserting replacement marks inside a character.',
  },
  'line-boundary-set': {
    edge: 'Lines end at the listed terminators only; other separators are data, and a final terminator adds no line.',
    fault: 'Uses splitlines(), which also breaks at U+2028, form feed, \\x1c-\\x1e and \\x85.',
  },
  'affix-removal-charset': {
    edge: 'Removing a prefix or suffix removes that exact text, at most the stated number of times.',
    fault: 'Calls lstrip/rstrip with the affix, which strips any of its characters.',
  },
  'digit-classification': {
    edge: 'Only the listed digits are accepted, and accepted text converts without an error.',
    fault: 'Guards int(s) with isdigit(), so a superscript two passes and int() raises.',
  },
  'whitespace-and-invisibles': {
    edge: 'Blank means the stated set of characters, zero-width and no-break ones included or not.',
    fault: 'Uses strip(), which leaves zero-width spaces, so "blank" names pass.',
  },
  'slug-generation': {
    edge: 'Slugs are non-empty, have single inner separators, obey the length limit and get the stated suffix when taken.',
    fault:
      'Cuts after collapsing, leaving a trailing dash, and the uniqueness suffix exceeds the limit.',
  },
  'word-wrap-long-token': {
    edge: 'No line exceeds the width, over-long words follow the rule, and lines join back to the text.',
    fault:
      'Counts the joining blank wrongly, so exactly fitting words move down or lines are one too long.',
  },
  'display-width-padding': {
    edge: 'Columns align by display width from the given table (wide two, combining zero), not by len().',
    fault: 'Uses ljust on code points, so wide letters and accents shift the columns.',
  },
  'sequential-replace-cascade': {
    edge: 'All substitutions apply to the original text at once; inserted text is not scanned again.',
    fault:
      "Chains str.replace, so one rule's output is rewritten by the next and {10} is broken by {1}.",
  },
  'overlapping-match-spans': {
    edge: 'Matches are counted and marked by the stated overlap rule, and merged spans never nest marks.',
    fault:
      'Searches on from the end of the last match, missing overlaps, or inserts marks that shift later offsets.',
  },
  'identifier-case-conversion': {
    edge: 'Conversions between camel, snake and kebab case follow the stated rules for acronyms, digits and underscores.',
    fault: 'Splits before every capital, so HTTPServer becomes h_t_t_p_server.',
  },
  'utf16-offset-mapping': {
    edge: 'Positions given in UTF-16 units (or bytes) map to code points and back; positions inside a pair follow the rule.',
    fault: 'Uses editor offsets as Python indices, so everything after an emoji shifts.',
  },
} as const satisfies Record<string, Meaning>
