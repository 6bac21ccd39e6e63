import fc from 'fast-check'

/** Any text that JSON can carry: escapes, line ends of every kind, lone surrogates. */
export const anyText = fc
  .array(
    fc.oneof(
      fc.nat(0xffff).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom('"', '\\', '\n', '\u2028', '\u007f', '\ud83d', '\ude42', '🙂', '/', 'é'),
      fc.constantFrom('<prompt 1>', '<prompt 2>', '"prompt":"', '","prompt_version":1'),
    ),
  )
  .map((parts) => parts.join(''))
