import type { Prompt } from '../../src/protocol/prompt.ts'

type Value = number | string | null
type Example = readonly [args: readonly Value[], result: Value]

/** A visible check that calls the entry point once, in the tagged JSON of the sandbox. */
function callCheck(entryPoint: string, [args, result]: Example): Prompt['visible'][number] {
  const empty = { tuple: [] }
  return {
    assert: `assert ${entryPoint}(${args.map(show).join(', ')}) == ${show(result)}`,
    check: {
      fixtures: [],
      steps: [
        { tuple: ['call', { tuple: [entryPoint, { tuple: [...args] }, { dict: [] }] }, null] },
      ],
      watch: [],
      clauses: [1],
      compare: {
        exception_args: false,
        dict_order: false,
        effect_order: true,
        aliasing: false,
        tolerance: null,
      },
    },
    expected: { tuple: [0, { tuple: [{ tuple: ['value', result, empty] }] }, empty] },
  }
}

const show = (value: Value) => (value === null ? 'None' : JSON.stringify(value))

/** The prompt of a small task whose visible checks are the given calls. */
export function promptOf(
  entryPoint: string,
  module: string,
  examples: readonly Example[],
  number = 1,
): Prompt {
  return {
    instance_id: `failmap__ttl-off-by-one-unit-${number}`,
    domain: 'caching-expiry',
    category: 'ttl-off-by-one-unit',
    part: 'practice',
    entry_point: entryPoint,
    contract: ['as the checks say'],
    module,
    visible: examples.map((example) => callCheck(entryPoint, example)),
    prompt: 'Fix the module.',
    prompt_version: 1,
  }
}

/** The bound of a comparison is wrong. */
export const LATE = promptOf(
  'late',
  '"""Deadlines."""\n\n\ndef late(age, limit):\n    """Whether an age is over."""\n    if age > limit:\n        return 1\n    return 0\n',
  [
    [[1, 3], 0],
    [[3, 3], 1],
    [[4, 3], 1],
  ],
)

/** Zero is taken for missing. */
export const RETRIES = promptOf(
  'retries',
  'DEFAULT = 3\n\n\ndef retries(wanted):\n    count = wanted or DEFAULT\n    return count\n',
  [
    [[0], 0],
    [[null], 3],
    [[5], 5],
  ],
)

/** Two faults: both checks fail at first, and each edit mends one of them. */
export const SPAN = promptOf(
  'span',
  'def span(kind, n):\n    if kind == 0:\n        return n + 1\n    return n - 2\n',
  [
    [[0, 5], 4],
    [[1, 5], 7],
    [[1, 6], 8],
  ],
)

/** No edit of this module makes it pass. */
export const CIPHER = promptOf('cipher', 'def cipher(text):\n    return text\n', [
  [['a'], 'kq-77'],
  [['b'], 'zz-19'],
])

/** The symptom is not visible. */
export const CALM = promptOf('late', LATE.module, [[[1, 3], 0]])
