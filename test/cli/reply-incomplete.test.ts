import { describe, expect, test } from 'vitest'
import { WIDTH_FIXED } from './reply-field-cases.ts'
import { BASE, FIXED, fence, good, read, readBig } from './reply-fixture.ts'

describe('replyToModule refuses code that is left out', () => {
  test.each([
    '# ... rest of the code unchanged ...',
    '# ... (other functions)',
    '# rest of the module stays the same',
    '# The rest of the code remains unchanged.',
    '# remaining methods unchanged',
    '# existing code here',
    '# (existing implementation)',
    '# …',
    '# ...',
    '# Other functions remain the same',
    '# imports omitted for brevity',
    '# same as before',
  ])('%s', (comment) => {
    const outcome = readBig(fence(`${comment}\n\n\ndef width(a, b):\n    return abs(b - a)\n`))
    expect(outcome).toMatchObject({ status: 'placeholder', module: null })
    expect(outcome.notes).toContain('missing_names=LIMIT,area')
  })

  test('an ellipsis for a body that was there', () => {
    const module = FIXED.replace('return a * b', '...')
    expect(readBig(fence(module)).status).toBe('placeholder')
  })

  test('an ellipsis between statements', () => {
    const module = FIXED.replace('    return c', '    ...\n    return c')
    expect(readBig(fence(module)).status).toBe('placeholder')
  })

  test('words in brackets that are no Python', () => {
    const reply = fence('[rest of the code unchanged]\n\ndef width(a, b):\n    return abs(b - a)\n')
    expect(readBig(reply).status).toBe('placeholder')
  })

  test('an edit that writes a placeholder', () => {
    const reply = `<<<<<<< SEARCH\n${BASE}=======\n# ... existing code ...\n\ndef width(a, b):\n    return abs(b - a)\n>>>>>>> REPLACE\n`
    expect(readBig(reply).status).toBe('placeholder')
  })

  test.each([
    [
      'an honest comment',
      FIXED.replace('    c =', '    # the rest of the interval is open\n    c ='),
    ],
    ['unchanged above code that is there', FIXED.replace('def area', '# unchanged\ndef area')],
    ['a trailing remark', FIXED.replace('return c', 'return c  # same as before')],
    ['a stub of its own', `${FIXED}\n\nclass Shape:\n    def size(self): ...\n`],
  ])('but not %s', (_, module) => {
    expect(readBig(fence(module))).toMatchObject({ status: 'ok', module })
  })

  test('but not a comment that the faulty module has', () => {
    const base = BASE.replace('def area', '# ... other functions ...\ndef area')
    const module = base.replace('b - a', 'abs(b - a)')
    expect(read(fence(module), { module: base })).toMatchObject({ status: 'ok', module })
  })
})

describe('replyToModule sees that a reply was cut', () => {
  test('inside a block', () => {
    expect(read('```python\ndef width(a, b):\n    retu', { finishReason: 'length' })).toMatchObject(
      {
        status: 'truncated',
        module: null,
      },
    )
  })

  test('inside a block that looks whole', () => {
    expect(read(`\`\`\`python\n${WIDTH_FIXED}`)).toMatchObject({
      status: 'truncated',
      module: null,
    })
  })

  test('in a second version', () => {
    const reply = `${fence(WIDTH_FIXED)}Better:\n\`\`\`python\ndef width(a, b):\n`
    expect(read(reply).status).toBe('truncated')
  })

  test('after the answer, which stands', () => {
    const outcome = read(`${fence(WIDTH_FIXED)}This works bec`, { finishReason: 'length' })
    expect(outcome).toMatchObject(good)
    expect(outcome.notes).toContain('cut_after_answer')
  })

  test.each(['length', 'max_tokens', 'LENGTH'])(
    'without a fence, by the reason %s',
    (finishReason) => {
      expect(read(WIDTH_FIXED, { finishReason }).status).toBe('truncated')
      expect(read('I would', { finishReason }).status).toBe('truncated')
      expect(read('', { finishReason }).status).toBe('truncated')
    },
  )

  test('inside a search/replace block', () => {
    expect(read('<<<<<<< SEARCH\n    return b - a\n=======\n    return').status).toBe('truncated')
  })

  test('between search/replace blocks', () => {
    const reply =
      '<<<<<<< SEARCH\n    return b - a\n=======\n    return abs(b - a)\n>>>>>>> REPLACE\n'
    expect(read(reply)).toMatchObject(good)
    expect(read(reply, { finishReason: 'length' }).status).toBe('truncated')
  })
})
