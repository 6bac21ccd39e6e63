import { describe, expect, test } from 'vitest'
import {
  BOTH,
  bytesOf,
  DIFF,
  LONG,
  lines,
  patchesOf,
  refusalOf,
  SWE,
} from './predictions-fixture.ts'
import { FIRST, SECOND } from './predictions-prompts.ts'
import { section, WIDTH, WIDTH_FIXED } from './reply-field-cases.ts'

describe('readPredictions reads', () => {
  test.each([
    ['SWE-bench lines', lines(SWE), 'p.jsonl', 'm'],
    ['a SWE-bench list', JSON.stringify(SWE), 'p.json', 'm'],
    [
      'a dict by instance id, as preds.json of mini-swe-agent',
      JSON.stringify(
        Object.fromEntries(SWE.map((record) => [record.instance_id, record])),
        null,
        2,
      ),
      'preds.json',
      'm',
    ],
    [
      'a dict whose records leave the id out',
      JSON.stringify({ [FIRST]: { model_patch: DIFF }, [SECOND]: { model_patch: DIFF } }),
      'preds.json',
      null,
    ],
    [
      'SWE-bench Pro',
      JSON.stringify(SWE.map((r) => ({ instance_id: r.instance_id, patch: DIFF, prefix: 'pro' }))),
      'p.json',
      'pro',
    ],
    [
      'EvalPlus samples with a solution',
      lines([
        { task_id: 'FailureMap/ttl-off-by-one-unit/1', solution: WIDTH_FIXED, raw_solution: 'x' },
        { task_id: 'failmap/ttl-off-by-one-unit/2', completion: WIDTH_FIXED },
      ]),
      'samples.jsonl',
      null,
    ],
    [
      'LiveCodeBench',
      JSON.stringify([
        { question_id: FIRST, code_list: [WIDTH_FIXED] },
        { question_id: SECOND, code_list: [WIDTH_FIXED] },
      ]),
      'lcb.json',
      null,
    ],
    [
      'its own patches',
      lines([
        { instance_id: FIRST, module: WIDTH_FIXED },
        { instance_id: SECOND, module: WIDTH_FIXED },
      ]),
      'patches.jsonl',
      null,
    ],
  ])('%s', (_, text, fileName, model) => {
    const predictions = patchesOf(text, fileName)
    expect(predictions.patches).toEqual(BOTH)
    expect(predictions.model).toBe(model)
    expect(predictions.unknown).toEqual([])
  })

  test('a file with a byte-order mark, CRLF and no last newline', () => {
    const text = `\ufeff${lines(SWE).trimEnd().replaceAll('\n', '\r\n')}`
    expect(patchesOf(text).patches).toEqual(BOTH)
  })

  test('a list in a .jsonl file and lines in a .json file', () => {
    expect(patchesOf(JSON.stringify(SWE, null, 1), 'p.jsonl').patches).toEqual(BOTH)
    expect(patchesOf(lines(SWE), 'p.json').patches).toEqual(BOTH)
  })

  test('U+2028 inside a record as part of its line', () => {
    const record = JSON.stringify({ ...SWE[0], note: 'a\u2028b' })
    expect(patchesOf(`${record}\n`).patches).toEqual(new Map([[FIRST, WIDTH_FIXED]]))
  })

  test('whole modules and diffs side by side, each as what it is', () => {
    const { patches } = patchesOf(lines([{ ...SWE[0], model_patch: LONG }, SWE[1]]))
    expect(patches).toEqual(
      new Map([
        [FIRST, LONG],
        [SECOND, WIDTH_FIXED],
      ]),
    )
  })

  test('a diff without its last newline', () => {
    const { patches } = patchesOf(lines([{ ...SWE[0], model_patch: DIFF.trimEnd() }]))
    expect(patches.get(FIRST)).toBe(WIDTH_FIXED)
  })

  test('a solution that a harness left fenced', () => {
    const solution = `Here:\n\`\`\`python\n${WIDTH_FIXED}\`\`\`\n`
    const { patches } = patchesOf(lines([{ task_id: FIRST, solution }]))
    expect(patches.get(FIRST)).toBe(WIDTH_FIXED)
  })

  test('text that is no Python as it is, since the judge decides', () => {
    const solution = 'def width(a, b)\n    return abs(b - a)\n'
    const { patches, notes } = patchesOf(lines([{ task_id: FIRST, solution }]))
    expect(patches.get(FIRST)).toBe(solution)
    expect(notes).toContain(`${FIRST}: sent_as_it_is`)
  })

  test('only the shape that --format names', () => {
    expect(patchesOf(lines(SWE), 'p.jsonl', 'swe-bench').patches).toEqual(BOTH)
    expect(refusalOf(lines(SWE), 'p.jsonl', 'evalplus').why).toContain('--format evalplus')
    expect(refusalOf(lines(SWE), 'p.jsonl', 'csv').next).toContain('swe-bench')
  })
})

describe('readPredictions tells apart', () => {
  test('an empty answer and one that does not apply from a patch', () => {
    const { patches, unanswered } = patchesOf(
      lines([
        { ...SWE[0], model_patch: '' },
        { ...SWE[1], model_patch: DIFF.replace('b - a', 'b - c') },
      ]),
    )
    expect(patches.size).toBe(0)
    expect(unanswered).toEqual(
      new Map([
        [FIRST, 'empty'],
        [SECOND, 'apply_failed'],
      ]),
    )
  })

  test('a null answer from an absent one', () => {
    const { unanswered } = patchesOf(lines([{ ...SWE[0], model_patch: null }]))
    expect(unanswered).toEqual(new Map([[FIRST, 'empty']]))
  })

  test('the unchanged module from no answer', () => {
    expect(patchesOf(lines([{ task_id: FIRST, solution: WIDTH }])).patches.get(FIRST)).toBe(WIDTH)
  })

  test('a text over the size limit', () => {
    const solution = `X = '${'x'.repeat(70_000)}'\n${WIDTH_FIXED}`
    const { unanswered } = patchesOf(lines([{ task_id: FIRST, solution }]))
    expect(unanswered.get(FIRST)).toBe('too_large')
  })

  test('unknown ids from known ones, and lists them', () => {
    const { patches, unknown } = patchesOf(
      lines([SWE[0], { ...SWE[1], instance_id: 'django__django-1' }]),
    )
    expect([...patches.keys()]).toEqual([FIRST])
    expect(unknown).toEqual(['django__django-1'])
  })
})

describe('readPredictions refuses', () => {
  test('several models, and lists them', () => {
    const refusal = refusalOf(lines([SWE[0], { ...SWE[1], model_name_or_path: 'other' }]))
    expect(refusal.why).toBe('m, other')
    expect(refusal.exit).toBe(2)
  })

  test('duplicate ids, also by an alias, and lists them with their places', () => {
    const record = { ...SWE[1], instance_id: 'FailureMap__ttl-off-by-one-unit-1' }
    expect(refusalOf(lines([SWE[0], record])).why).toBe(`${FIRST} (line 1, line 2)`)
  })

  test('a dict that holds one key twice', () => {
    const text = `{"${FIRST}": {"model_patch": "a"}, "${FIRST}": {"model_patch": "b"}}`
    expect(refusalOf(text, 'preds.json').why).toContain(FIRST)
  })

  test('several samples of one task', () => {
    const text = JSON.stringify([{ question_id: FIRST, code_list: ['a', 'b'] }])
    expect(refusalOf(text, 'lcb.json').why).toContain('2 samples')
  })

  test('a last line that was cut off, by its number', () => {
    const refusal = refusalOf(lines(SWE).slice(0, -20))
    expect(refusal.message).toContain('line 2')
    expect(refusal.why).toContain('ends in the middle')
  })

  test('a broken line in the middle, by its number', () => {
    const refusal = refusalOf(`${lines(SWE.slice(0, 1))}{oops}\n${lines(SWE.slice(1))}`)
    expect(refusal.message).toContain('line 2')
  })

  test('broken JSON in a .json file', () => {
    expect(refusalOf('{"a": \n', 'p.json').message).toContain('not JSON')
  })

  test('records of no known shape, with the keys that were found', () => {
    const refusal = refusalOf(lines([{ id: FIRST, answer: 'x' }]))
    expect(refusal.why).toContain('line 1: no known record (keys: id, answer)')
  })

  test('a file without a single task of the epoch', () => {
    const refusal = refusalOf(lines([{ ...SWE[0], instance_id: 'django__django-1' }]))
    expect(refusal.why).toContain('django__django-1')
  })

  test('CL-136: UTF-16, by its name and with the way out', () => {
    expect(section('CL-136', 'payload')).toContain('FF FE 7B 00')
    const refusal = refusalOf(Uint8Array.of(0xff, 0xfe, 0x7b, 0x00))
    expect(refusal.message).toContain('UTF-16')
    expect(refusal.next).toContain('--output')
    expect(refusal.exit).toBe(2)
  })

  test('CL-136: bytes that are not UTF-8', () => {
    expect(refusalOf(Uint8Array.of(0x7b, 0xe9, 0x7d)).exit).toBe(2)
  })
})

test('CL-137: readPredictions takes a mark, and says where other text breaks', () => {
  const mark = Uint8Array.of(0xef, 0xbb, 0xbf)
  const marked = Uint8Array.from([...mark, ...bytesOf(lines(SWE))])
  expect(patchesOf(marked).patches).toEqual(BOTH)
  expect(refusalOf(Uint8Array.from([...mark, ...bytesOf('{"a" 1}')]), 'c.json').exit).toBe(2)
})

test('CL-138: readPredictions reads the same records as a list and as lines', () => {
  const records = [1, 2].map((number) => ({
    task_id: `failmap/ttl-off-by-one-unit/${number}`,
    module_text: WIDTH_FIXED,
  }))
  expect(section('CL-138', 'payload')).toContain('"module_text"')
  expect(patchesOf(JSON.stringify(records)).patches).toEqual(BOTH)
  expect(patchesOf(lines(records)).patches).toEqual(BOTH)
})
