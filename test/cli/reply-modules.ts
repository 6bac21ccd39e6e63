import fc from 'fast-check'

/** Text that looks like wrapping, inside string literals and comments where it is code. */
const TRAPS = [
  '```',
  '```python',
  '    ```',
  '~~~',
  '</think>',
  '<think>',
  '<|im_end|>',
  '<|channel|>final<|message|>',
  '<<<<<<< SEARCH',
  '=======',
  '>>>>>>> REPLACE',
  '--- a/width.py',
  '+++ b/width.py',
  '@@ -1,2 +1,2 @@',
  '-old',
  '+new',
  'def width(a, b):',
  'Done.',
  '',
  '1. an item',
  '[/INST]',
  '\ttabbed',
  '\u2028 \u0085 \f',
  'é “quoted” – naïve \u00a0 😀',
]

const docstring = fc
  .array(fc.constantFrom(...TRAPS), { minLength: 1, maxLength: 6 })
  .map((lines) => `"""Text.\n\n${lines.join('\n')}\n"""\n`)

const indentedDocstring = fc
  .array(fc.constantFrom(...TRAPS), { minLength: 1, maxLength: 6 })
  .map(
    (lines) =>
      `    """Text.\n\n${lines.map((line) => `    ${line}`.trimEnd()).join('\n')}\n    """\n`,
  )

const expression = fc.constantFrom(
  'abs(b - a)',
  'max(a, b) - min(a, b)',
  "{'```': a, '</think>': b}.get('<|im_end|>', 0)",
  '[x for x in (a, b) if x is not None][-1]',
  'f"{a!r:>10}{b}" and 3.',
  'a if a >= b else b',
)

const statement = fc.oneof(
  expression.map((text) => `    c = ${text}\n`),
  expression.map((text) => `    if ${text}:\n        return ${text}\n`),
  fc.constantFrom(...TRAPS).map((text) => `${`    # ${text}`.trimEnd()}\n`),
  fc.constant('\n'),
)

const helper = fc
  .tuple(fc.constantFrom('_half', 'area', 'Shape'), expression)
  .map(([name, text]) =>
    name === 'Shape'
      ? `class Shape:\n    kind: str = 'x'\n\n    def size(self, a, b):\n        return ${text}\n`
      : `def ${name}(a, b):\n    return ${text}\n`,
  )

const entry = fc
  .tuple(
    fc.option(indentedDocstring, { nil: '' }),
    fc.array(statement, { maxLength: 4 }),
    expression,
    fc.option(fc.constantFrom('@staticmethod\n', 'async '), { nil: '' }),
  )
  .map(
    ([doc, body, last, head]) =>
      `${head}def width(a, b):\n${doc}${body.join('')}    return ${last}\n`,
  )

/** A module in its canonical form that defines `width`, with traps in every string and comment. */
export const modules = fc
  .record({
    docstring: fc.option(docstring, { nil: '' }),
    imports: fc.option(fc.constantFrom('import math\n', 'from typing import (\n    Any,\n)\n'), {
      nil: '',
    }),
    constant: fc.option(fc.constantFrom("LIMIT = '```'\n", 'WIDTHS: dict = {}\n'), { nil: '' }),
    before: fc.array(helper, { maxLength: 2 }),
    entry,
    after: fc.array(helper, { maxLength: 1 }),
  })
  .map((parts) =>
    [parts.docstring, parts.imports, parts.constant, ...parts.before, parts.entry, ...parts.after]
      .filter((text) => text !== '')
      .join('\n'),
  )

const PROSE = [
  'The change is small.',
  'It now works, see `width`.',
  '',
  '- one point',
  '1. first',
  '## Answer',
]

export const prose = fc
  .array(fc.constantFrom(...PROSE), { maxLength: 3 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''))

/** Blocks that are not the answer. */
export const otherBlock = fc.constantFrom(
  '',
  '```\n3\n```\n',
  '```python\nprint(width(5, 2))\n```\n',
  '```bash\npython width.py\n```\n',
  '```python\nfrom width import width\nassert width(2, 5) == 3\n```\n',
)
