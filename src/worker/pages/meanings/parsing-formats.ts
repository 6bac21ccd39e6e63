import type { Meaning } from './meaning.ts'

export const PARSING_FORMATS = {
  'csv-quoted-fields': {
    edge: 'Quoted fields may hold separators, doubled quotes and line breaks; quoted and bare empties differ if stated.',
    fault: "Splits each physical line on the comma, or unquotes with strip('\"').",
  },
  'escape-sequence-roundtrip': {
    edge: 'decode(encode(x)) equals x for every text, and escapes are read once from left to right.',
    fault: 'Chains replace calls, so an escaped backslash before n turns into a line break.',
  },
  'first-separator-split': {
    edge: 'A line splits at the first (or last) separator, the rest may contain it, and a missing one follows the rule.',
    fault:
      'Splits on every separator and unpacks two parts, failing on values such as URLs or padded base64.',
  },
  'query-string-semantics': {
    edge: 'Repeated, blank and bare keys, plus signs and percent escapes are decoded and re-encoded as stated.',
    fault:
      'Unquotes before splitting and keeps one value per key, so encoded separators and repeats break.',
  },
  'json-type-roundtrip': {
    edge: 'Values of the listed types survive save and load, and keys that meet after conversion are refused.',
    fault:
      'json.dumps turns integer keys into text and tuples into lists, and keys 1 and "1" collide silently.',
  },
  'duplicate-key-policy': {
    edge: 'A repeated key or header follows the stated policy under the stated notion of equal names.',
    fault: 'A later entry silently replaces an earlier one, whatever the letter case.',
  },
  'length-prefixed-framing': {
    edge: 'Frames are cut exactly at the announced length over any split of the input, and limits hold before buffering.',
    fault: 'Assumes header and body arrive together, so partial data is read as a short frame.',
  },
  'varint-codec': {
    edge: 'Base-128 integers encode in the fewest bytes and decode to the same value; cut-off and over-long input is refused.',
    fault: 'The loop condition is off at 127/128, and a negative number never ends.',
  },
  'packed-field-layout': {
    edge: 'Each packed field has the stated width, sign and byte order, without implicit padding.',
    fault:
      'Uses a native struct format, whose alignment inserts padding, or an unsigned code for a signed field.',
  },
  'localized-number-parse': {
    edge: 'Group and decimal marks, signs, parentheses and percent are read by the stated locale; bad grouping is refused.',
    fault: 'Removes all commas before conversion, so "1,5" becomes 15 and "1.234,56" fails.',
  },
  'chunked-record-reassembly': {
    edge: 'Delimited records come out the same for every chunking, a delimiter cut in two included.',
    fault: 'Splits every chunk on its own, so records and delimiters across the cut are broken.',
  },
  'comment-in-value': {
    edge: 'A comment mark counts only where stated and never inside quotes; continuation lines join as stated.',
    fault: "Cuts each line at the first '#', spoiling colours, URLs and quoted text.",
  },
  'byte-range-header': {
    edge: "'a-b' includes b, 'a-' runs to the end, '-n' is the last n, and bounds are clamped or refused as stated.",
    fault: 'Treats a missing start as 0, so the last-n form returns the first n+1 bytes.',
  },
  'dotted-path-lookup': {
    edge: 'A path reads and writes by segments through dicts and lists, telling missing, None and falsy apart.',
    fault: 'Chains .get(segment, {}), so a None or a list in the middle raises.',
  },
  'operator-precedence-eval': {
    edge: 'Expressions follow the stated precedence and associativity, unary minus and parentheses included.',
    fault: 'Evaluates from left to right, or makes power left-associative.',
  },
  'range-list-expansion': {
    edge: "'1-3,5,9-' expands with both ends included, and order, repeats and open ends follow the rule.",
    fault: 'Uses range(a, b), which drops the upper end, and fails on open ends.',
  },
} as const satisfies Record<string, Meaning>
