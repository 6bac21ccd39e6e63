import { describe, expect, test } from 'vitest'
import { replyToModule } from '../../src/cli/model/reply.ts'
import { fieldCase, section, WIDTH, WIDTH_FIXED } from './reply-field-cases.ts'

const width = (reply: string, finishReason = 'stop') =>
  replyToModule(reply, { module: WIDTH, entryPoint: 'width', finishReason })

/** A row that brings its own base; the entry point is the first name that the base defines. */
function play(id: string) {
  const { base = WIDTH, reply = '' } = fieldCase(id)
  const entryPoint = /^(?:def )?(\w+)/m.exec(base)?.[1] ?? ''
  return { base, outcome: replyToModule(reply, { module: base, entryPoint, finishReason: 'stop' }) }
}

describe('replyToModule plays the field rows about reading a reply', () => {
  test('CL-001: a stray closing fence after unfenced code loses nothing', () => {
    const outcome = width(section('CL-001', 'reply'))
    expect(outcome.status).toBe('ok')
    expect(outcome.module).toBe(WIDTH_FIXED)
    expect(outcome.notes).toContain('stray_fence')
  })

  test('CL-003: a fence inside a docstring does not end the block', () => {
    const reply = section('CL-003', 'reply')
    const module = reply.slice('```python\n'.length, -'```\n'.length)
    expect(width(reply)).toMatchObject({ status: 'ok', module })
  })

  test('CL-005: a fence under a list item gives back exactly its own indent', () => {
    expect(width(section('CL-005', 'reply'))).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
  })

  test.each(['python', 'python3', 'py', 'py3', 'Python', ''])(
    'CL-006: tilde fences with the tag "%s" are read',
    (tag) => {
      const reply = section('CL-006', 'reply').replace('~~~py3', `~~~${tag}`)
      expect(width(reply)).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
    },
  )

  test('CL-007: plain code between prose is the longest run that parses', () => {
    const outcome = width(section('CL-007', 'reply'))
    expect(outcome).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
    expect(outcome.notes).toContain('unfenced')
  })

  test('CL-008: an output block is no part of the module', () => {
    expect(width(section('CL-008', 'reply'))).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
  })

  test('CL-010: the chosen block keeps its demo lines, the unrelated block is ignored', () => {
    const reply = section('CL-010', 'reply')
    const first = reply.slice('```python\n'.length, reply.indexOf('```\n```python'))
    expect(width(reply)).toMatchObject({ status: 'ok', module: first })
  })

  test('CL-012: a draft inside think tags is not the answer', () => {
    const outcome = width(section('CL-012', 'reply'))
    expect(outcome).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
    expect(outcome.notes).toContain('reasoning_removed')
  })

  test('CL-017: a comment in place of code is a placeholder, and nothing is spliced in', () => {
    const { outcome } = play('CL-017')
    expect(outcome.status).toBe('placeholder')
    expect(outcome.module).toBeNull()
    expect(outcome.notes).toContain('missing_names=area')
  })

  test('CL-019: a file name in the prose is not needed', () => {
    expect(width(section('CL-019', 'reply'))).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
  })

  test('CL-023: a diff is recognised by its marks and applied', () => {
    const { outcome } = play('CL-023')
    expect(outcome).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
    expect(outcome.notes).toContain('format=diff')
  })

  test('CL-026: a search text with two places is ambiguous', () => {
    const { outcome } = play('CL-026')
    expect(outcome).toMatchObject({ status: 'ambiguous', module: null })
    expect(outcome.notes).toContain('matches=2')
  })

  test('CL-028: a part of a line that occurs once is replaced, and the rest kept', () => {
    const { outcome } = play('CL-028')
    expect(outcome).toMatchObject({ status: 'ok', module: 'LIMIT = 30  # seconds\n' })
    expect(outcome.notes).toContain('relaxed_match')
  })

  test('CL-028: a part of a line that occurs twice is ambiguous', () => {
    const module = 'LIMIT = 10  # seconds\nOTHER_LIMIT = 10  # minutes\n'
    const reply = section('CL-028', 'reply')
    expect(replyToModule(reply, { module, entryPoint: 'LIMIT' }).status).toBe('ambiguous')
  })

  test('CL-029: one failing block refuses all, by its number', () => {
    const { outcome } = play('CL-029')
    expect(outcome).toMatchObject({ status: 'apply_failed', module: null })
    expect(outcome.notes).toContain('block=2')
  })

  test('CL-040: look-alikes are found, and unchanged lines keep their code points', () => {
    const { base, outcome } = play('CL-040')
    expect(outcome).toMatchObject({ status: 'ok', module: base.replace('A = 1', 'A = 2') })
  })

  test('CL-042: end tokens after the block are dropped', () => {
    expect(width(section('CL-042', 'reply'))).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
  })

  test('CL-044: a block that never closes is truncated, whatever the finish reason', () => {
    const served = /< 200 (.*)/.exec(section('CL-044', 'http'))?.[1] ?? ''
    const { content } = JSON.parse(served).choices[0].message
    const outcome = width(content, 'stop')
    expect(outcome).toMatchObject({ status: 'truncated', module: null })
    expect(outcome.notes).toContain('cause=unclosed_block')
  })

  test('CL-046: prose alone is no code, and the faulty module does not stand in for it', () => {
    expect(width(section('CL-046', 'reply'))).toMatchObject({ status: 'no_code', module: null })
  })

  test('CL-048: one leading byte-order mark is removed', () => {
    expect(width(section('CL-048', 'py'))).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
  })

  test('CL-049: a NUL character is bad source before any upload', () => {
    const module = section('CL-049', 'py')
    expect(width(module)).toMatchObject({ status: 'bad_source', module: null })
    const fenced = width(`\`\`\`python\n${module}\n\`\`\`\n`)
    expect(fenced).toMatchObject({ status: 'bad_source', module: null })
    expect(fenced.notes).toContain('nul_character at line 3')
  })

  test('CL-050: blanks that Python refuses are named and not repaired', () => {
    const outcome = width(`\`\`\`python\n${section('CL-050', 'py')}\`\`\`\n`)
    expect(outcome.status).toBe('bad_source')
    expect(outcome.module).toBe(section('CL-050', 'py'))
    expect(outcome.notes).toContain('error_at_line=2 (U+00A0)')
  })

  test('CL-052: a coding line is noted and kept', () => {
    const module = section('CL-052', 'py')
    const outcome = replyToModule(module, { module: WIDTH, entryPoint: 'mark' })
    expect(outcome).toMatchObject({ status: 'ok', module })
    expect(outcome.notes).toContain('encoding_cookie')
  })
})
