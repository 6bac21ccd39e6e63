/**
 * Valid Python that the Lezer grammar (@lezer/python 1.1) reports as an error. Each entry rewrites
 * such text to a stand-in of the same length that the grammar knows, so that what is still an
 * error afterwards is one. Found by parsing the standard libraries of Python 3.11 to 3.13.
 */
const STAND_INS: readonly ((source: string) => string)[] = [
  // `yield` without a value.
  (source) => source.replace(/\byield(?=[^\S\n]*(?:$|[)\]};#,:]))/gm, 'yielx'),
  // A float that ends in its point: `3600.` and `1.e5`.
  (source) => source.replace(/(?<![\w.])(\d[\d_]*)\.(?=[eEjJ]|[^\d\w.]|$)/gm, '$10'),
  // Patterns with nothing inside: `case ast.BinOp():`, `case {}:`, `case []:`.
  (source) => onLines(source, /^\s*case\b/, (line) => line.replace(EMPTY_PATTERN, underscores)),
  // Several subjects: `match x, y:`.
  (source) => onLines(source, /^\s*match\b.*:/, (line) => line.replace(/,(?=\s*[^\s:])/g, '+')),
  // `with (open(a) as f, open(b) as g):`
  (source) => source.replace(/\bwith\s*\([^:]*?\)\s*:/g, (head) => head.replace(/\bas\b/g, 'or')),
  // A target that is no plain name: `as self.file`, `as (reader, writer)`.
  (source) => source.replace(/\bas(?=\s+(?:[([]|\w+[.[]))/g, 'or'),
  // Stars where the grammar wants a plain expression: `in *a, b`, `x[*a]`, `for a, *_ in b`.
  (source) => source.replace(/\b(in|for)(\s+)\*/g, '$1$2 ').replaceAll('[*', '[ '),
  (source) => source.replace(/(,\s*)\*(?=\w)/g, '$1 '),
  // Positional-only parameters of a lambda.
  (source) => source.replace(/\blambda\b[^:\n]*/g, (head) => head.replace('/', 'p')),
  // A decorator that is any expression (PEP 614).
  (source) =>
    onLines(source, /^\s*@[^@]/, (line) =>
      isBalanced(line) ? line.replace(/@.*/, (rest) => `@${'d'.repeat(rest.length - 1)}`) : line,
    ),
  // `print` as a name like any other.
  (source) => source.replace(/\bprint\b(?!\s*\()/g, 'prinx'),
  // A form feed on a line of blanks.
  (source) => source.replace(/^[ \t]*\f[ \t\f]*$/gm, (line) => ' '.repeat(line.length)),
]

const EMPTY_PATTERN = /[\w.]*\(\s*\)|\{\s*\}|\[\s*\]/g

/** The same text, of the same length, without the constructs that the grammar lacks. */
export function bridgeGrammarGaps(source: string): string {
  return STAND_INS.reduce((text, standIn) => standIn(text), source)
}

function onLines(source: string, which: RegExp, rewrite: (line: string) => string): string {
  return source
    .split('\n')
    .map((line) => (which.test(line) ? rewrite(line) : line))
    .join('\n')
}

function underscores(text: string): string {
  return '_'.repeat(text.length)
}

function isBalanced(line: string): boolean {
  return (line.match(/[([{]/g)?.length ?? 0) === (line.match(/[)\]}]/g)?.length ?? 0)
}
