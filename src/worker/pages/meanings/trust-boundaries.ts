import type { Meaning } from './meaning.ts'

export const TRUST_BOUNDARIES = {
  'path-containment-prefix': {
    edge: 'A path passes iff, once normalised, it is inside the root by whole segments (root itself as stated).',
    fault: 'Tests startswith(root) or commonprefix, so /data-evil passes for /data.',
  },
  'decode-after-check': {
    edge: 'Input is decoded the stated number of times, normalised, then checked, and the checked form is what is used.',
    fault:
      'Checks the raw text and decodes it afterwards, so encoded dots and full-width forms pass.',
  },
  'redirect-target-validation': {
    edge: 'Only local targets by the stated grammar pass; whatever a browser reads as another site goes to the fallback.',
    fault:
      'Accepts any target with an empty netloc or a leading slash, so //host, /\\host and https:/host leave the site.',
  },
  'host-allowlist-suffix': {
    edge: 'A host matches an allowed domain exactly or below it at a dot; user info, port, case and final dot as stated.',
    fault: 'Tests host.endswith(domain), so the look-alike notexample.org passes for example.org.',
  },
  'header-crlf-injection': {
    edge: 'Names and values with forbidden characters are refused or cleaned as stated, and input never adds a line.',
    fault: 'Formats name and value unchecked, or removes only the CRLF pair.',
  },
  'html-context-escaping': {
    edge: 'Text is escaped once for its context, attribute names are checked, and marked-safe parts stay as they are.',
    fault:
      'Escapes angle brackets only (or the ampersand last), so attributes break out or text is escaped twice.',
  },
  'spreadsheet-formula-export': {
    edge: 'Cells that a spreadsheet would run are neutralised as stated, real numbers stay numbers, import restores text.',
    fault: 'Guards only a leading "=", so "+", "-", "@" and a leading tab pass.',
  },
  'anchor-trailing-newline': {
    edge: 'The whole value must match, with no extra line or final newline.',
    fault: "Uses re.match(pattern + '$'), which accepts a trailing newline, or multi-line anchors.",
  },
  'strict-number-field': {
    edge: 'A number field accepts exactly the listed types, spellings and range, ends as stated.',
    fault:
      'isinstance(x, int) lets True in, int() lets "1_0" and other scripts in, and NaN slips past the range test.',
  },
  'mass-assignment-allowlist': {
    edge: 'Only fields the actor may set change; others are refused or ignored as stated at every depth.',
    fault: 'Copies every key of the input to the object, so role or owner can be set.',
  },
  'deny-precedence-policy': {
    edge: 'Access follows the stated combination of default, deny, specificity and segment wildcards.',
    fault: 'Returns at the first allow, or allows when no rule matches.',
  },
  'signature-canonical-coverage': {
    edge: 'The signature covers every relevant field in one canonical form; any change or missing field fails.',
    fault: 'Signs some of the fields, or whatever field list the message itself names.',
  },
  'replay-window-nonce': {
    edge: 'A message is accepted once and only within the tolerance on both sides, and nonces live as long as needed.',
    fault: 'Checks the age alone, so future stamps pass, or records nonces of refused messages.',
  },
  'secret-redaction-depth': {
    edge: 'Listed secrets are masked wherever they occur and under every listed spelling; nothing else changes.',
    fault: 'Masks exact top-level keys only and shows short secrets whole by "keep the last four".',
  },
  'bulk-ownership-check': {
    edge: 'Every object of a bulk or nested request is authorised; one foreign item refuses all or is skipped as stated.',
    fault: 'Checks the first item or the parent only and acts on all ids.',
  },
  'empty-allowlist-means-all': {
    edge: 'An empty allow list or filter selects nothing; only an absent one means no restriction, as stated.',
    fault: 'Tests "if allowed:", so an empty list returns every row.',
  },
} as const satisfies Record<string, Meaning>
