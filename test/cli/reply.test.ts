import { describe, expect, test } from 'vitest'
import { WIDTH, WIDTH_FIXED } from './reply-field-cases.ts'
import { FIXED, fence, good, read, readBig } from './reply-fixture.ts'

describe('replyToModule finds the block', () => {
  test.each([
    ['opened at the end of a line of prose', `Here: \`\`\`python\n${WIDTH_FIXED}\`\`\`\n`],
    ['closed at the end of a line of code', `\`\`\`python\n${WIDTH_FIXED.trimEnd()}\`\`\`\n`],
    ['opened with four marks and closed with three', `\`\`\`\`python\n${WIDTH_FIXED}\`\`\`\n`],
    ['opened with three marks and closed with four', `\`\`\`python\n${WIDTH_FIXED}\`\`\`\`\n`],
    ['inside a Markdown block', `\`\`\`\`markdown\n# Fix\n${fence(WIDTH_FIXED)}\`\`\`\`\n`],
    [
      'behind a list marker',
      `- \`\`\`python\n  ${WIDTH_FIXED.trimEnd().replace('\n', '\n  ')}\n  \`\`\`\n`,
    ],
    ['with only the marks indented', `   \`\`\`python\n${WIDTH_FIXED}   \`\`\`\n`],
    ['with a tag nobody knows', fence(WIDTH_FIXED, 'plaintext')],
    ['with CRLF', fence(WIDTH_FIXED).replaceAll('\n', '\r\n')],
    ['closed by a mark with blanks', `\`\`\`python\n${WIDTH_FIXED}\`\`\`   `],
    ['after an unrelated block of Python', `${fence('print(1)\n')}\n${fence(WIDTH_FIXED)}`],
    ['twice the same', `${fence(WIDTH_FIXED)}Again:\n${fence(WIDTH_FIXED)}`],
    ['after the faulty module was quoted', `Now:\n${fence(WIDTH)}Fixed:\n${fence(WIDTH_FIXED)}`],
    [
      'before a test that imports it',
      `${fence(WIDTH_FIXED)}${fence('from m import width\nwidth(1, 2)\n')}`,
    ],
  ])('%s', (_, reply) => {
    expect(read(reply)).toMatchObject(good)
  })

  test('a whole module is preferred to a fragment of it', () => {
    const fragment = 'def width(a, b):\n    c = abs(b - a)  # the fix\n    return c\n'
    const outcome = readBig(`Change:\n${fence(fragment)}All:\n${fence(FIXED)}`)
    expect(outcome).toMatchObject({ status: 'ok', module: FIXED })
    expect(outcome.notes).toContain('fragment_ignored')
  })

  test('a fragment alone is sent as it is, and the missing names are noted', () => {
    const fragment = 'def width(a, b):\n    return abs(b - a)\n'
    const outcome = readBig(fence(fragment))
    expect(outcome).toMatchObject({ status: 'ok', module: fragment })
    expect(outcome.notes).toContain('missing_names=LIMIT,area')
  })

  test('two different modules are ambiguous', () => {
    const other = WIDTH_FIXED.replace('abs(b - a)', 'max(a, b) - min(a, b)')
    const outcome = read(`${fence(WIDTH_FIXED)}or\n${fence(other)}`)
    expect(outcome).toMatchObject({ status: 'ambiguous', module: null, notes: ['modules=2'] })
  })

  test('two different modules without fences are ambiguous', () => {
    const other = WIDTH_FIXED.replace('abs(b - a)', 'max(a, b) - min(a, b)')
    expect(read(`One way:\n\n${WIDTH_FIXED}\nAnother way:\n\n${other}`).status).toBe('ambiguous')
  })

  test('the faulty module given back is unchanged', () => {
    expect(read(fence(WIDTH))).toMatchObject({ status: 'unchanged', module: WIDTH })
  })

  test('a block of Python that does not define the entry point is no answer', () => {
    const outcome = read(fence('def helper():\n    return 1\n'))
    expect(outcome).toMatchObject({ status: 'no_code', notes: ['blocks_without_entry_point=1'] })
  })

  test('a module in JSON is unpacked', () => {
    const outcome = read(
      fence(JSON.stringify({ module: WIDTH_FIXED }), 'json').replace('}```', '}\n```'),
    )
    expect(outcome).toMatchObject(good)
    expect(outcome.notes).toContain('format=json')
  })
})

describe('replyToModule leaves reasoning out', () => {
  test.each([
    ['a closing tag only', `I think so.\n</think>\n${fence(WIDTH_FIXED)}`],
    ['two sections', `<think>a</think>\n${fence(WIDTH)}<think>b</think>\n${fence(WIDTH_FIXED)}`],
    ['nested tags', `<think>a<think>b</think>c</think>${fence(WIDTH_FIXED)}`],
    ['upper case', `<THINK>a</THINK>\n${fence(WIDTH_FIXED)}`],
    ['Magistral', `[THINK]a[/THINK]${WIDTH_FIXED}`],
    [
      'gpt-oss',
      `<|channel|>analysis<|message|>hm ${fence(WIDTH)}<|end|><|start|>assistant<|channel|>final<|message|>${fence(WIDTH_FIXED)}<|return|>`,
    ],
  ])('%s', (_, reply) => {
    expect(read(reply)).toMatchObject(good)
  })

  test('an unclosed section is truncated, and its draft is never taken', () => {
    const outcome = read(`<think>\nmaybe\n${fence(WIDTH_FIXED)}`)
    expect(outcome).toMatchObject({ status: 'truncated', module: null })
    expect(outcome.notes).toContain('cause=unclosed_reasoning')
  })

  test('a section with nothing after it is empty', () => {
    const outcome = read(`<think>\n${fence(WIDTH_FIXED)}</think>\n\n`)
    expect(outcome).toMatchObject({ status: 'empty', module: null })
    expect(outcome.notes).toContain('cause=reasoning_only')
  })

  test('an answer before a section that never closes stands', () => {
    expect(read(`${fence(WIDTH_FIXED)}\n<think>was that right`)).toMatchObject(good)
  })
})

describe('replyToModule drops leaked tokens', () => {
  test.each(['<|im_end|>', '<|eot_id|>', '</s>', '<end_of_turn>', '<｜end▁of▁sentence｜>'])(
    '%s after code, fence or prose',
    (token) => {
      expect(read(`${WIDTH_FIXED.trimEnd()}${token}`)).toMatchObject(good)
      expect(read(`${fence(WIDTH_FIXED).trimEnd()}${token}\n`)).toMatchObject(good)
      expect(read(`\`\`\`python\n${WIDTH_FIXED.trimEnd()}${token}\n\`\`\``)).toMatchObject(good)
      expect(read(`${fence(WIDTH_FIXED)}Done.${token}`)).toMatchObject(good)
    },
  )

  test('what follows the end of the turn was written for another turn', () => {
    const other = WIDTH_FIXED.replace('abs', 'max')
    const reply = `${fence(WIDTH_FIXED)}<|im_end|>\n<|im_start|>user\nagain\n<|im_start|>assistant\n${fence(other)}`
    expect(read(reply)).toMatchObject(good)
    expect(read(reply).notes).toContain('run_on_ignored')
  })

  test('a token that is a string of the code stays', () => {
    const module = `STOP = '<|im_end|>'\n${WIDTH_FIXED}# ends with </s>\n`
    expect(read(fence(module))).toMatchObject({ status: 'ok', module })
    expect(read(module)).toMatchObject({ status: 'ok', module })
  })
})

describe('replyToModule says that there is no answer', () => {
  test.each(['', ' \n\t', '<|im_end|>', '\ufeff'])('empty for %j', (reply) => {
    expect(read(reply)).toMatchObject({ status: 'empty', module: null })
  })

  test.each(['No.', '```\n```', '```bash\nls\n```', '...', 'See `width`.'])(
    'no code for %j',
    (reply) => {
      expect(read(reply)).toMatchObject({ status: 'no_code', module: null })
    },
  )
})

describe('replyToModule leaves faulty source to the judge', () => {
  test.each([
    ['a syntax error', 'def width(a, b)\n    return 1\n'],
    ['a body that is not indented', 'def width(a, b):\nreturn 1\n'],
    ['an open string', 'def width(a, b):\n    return "abc\n'],
    ['curly quotes', 'def width(a, b):\n    return “a”\n'],
  ])('%s is bad_source, with the text', (_, module) => {
    expect(read(fence(module))).toMatchObject({ status: 'bad_source', module })
  })

  test('a lone surrogate has no UTF-8 form', () => {
    const outcome = read(fence(`X = '\ud800'\n${WIDTH_FIXED}`))
    expect(outcome).toMatchObject({ status: 'bad_source', module: null })
  })

  test('a module over the size limit is not sent', () => {
    const outcome = read(`X = '${'x'.repeat(66_000)}'\n${WIDTH_FIXED}`)
    expect(outcome).toMatchObject({ status: 'bad_source', module: null })
  })

  test('bidirectional controls and look-alike names are code like any other', () => {
    const module = WIDTH_FIXED.replace(
      '    return',
      "    note = 'a\u202eb'\n    ﬁx = note\n    return",
    )
    expect(read(fence(module))).toMatchObject({ status: 'ok', module })
  })
})

describe('replyToModule holds a module and an edit against each other', () => {
  const diff =
    '```diff\n--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n def width(a, b):\n-    return b - a\n+    return abs(b - a)\n```\n'

  test('both the same: ok', () => {
    expect(read(`${diff}So:\n${fence(WIDTH_FIXED)}`)).toMatchObject(good)
  })

  test('different: ambiguous', () => {
    expect(read(`${diff}So:\n${fence(WIDTH_FIXED.replace('abs', 'max'))}`).status).toBe('ambiguous')
  })

  test('an edit that fits nowhere is an illustration', () => {
    const outcome = read(`${diff.replace('b - a\n+', 'c - a\n+')}So:\n${fence(WIDTH_FIXED)}`)
    expect(outcome).toMatchObject(good)
    expect(outcome.notes).toContain('edit_ignored')
  })

  test('the faulty module quoted beside an edit is only a quotation', () => {
    expect(read(`Now:\n${fence(WIDTH)}Change:\n${diff}`)).toMatchObject(good)
  })
})

test('replyToModule gives one canonical text: LF, no mark, one final newline', () => {
  const reply = fence(`\ufeff${WIDTH_FIXED}\n\n`).replaceAll('\n', '\r\n')
  expect(read(reply).module).toBe(WIDTH_FIXED)
})

test('replyToModule ends soon on replies that are made to be slow', () => {
  const replies = [
    '```\n'.repeat(20_000),
    '</think>\n'.repeat(20_000),
    'def width(a, b):\n'.repeat(5_000),
    `${'x = (\n'.repeat(3_000)}def width(a, b):\n    return 1\n`,
    '<<<<<<< SEARCH\n=======\n'.repeat(10_000),
    `@@ -1 +1 @@\n${'-a\n'.repeat(50_000)}`,
    '('.repeat(100_000),
    '"""\n'.repeat(20_000),
    '\r'.repeat(500_000),
    '\u2028'.repeat(500_000),
    `${'```python\n'.repeat(70)}def width(a, b):\n    return 1\n${'```\n'.repeat(70)}`,
  ]
  for (const reply of replies) expect(read(reply).status).not.toBe('unchanged')
})
