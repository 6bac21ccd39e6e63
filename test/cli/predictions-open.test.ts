import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPredictions } from '../../src/cli/predictions.ts'
import { ok } from '../../src/protocol/result.ts'
import { BOTH, collected, context, LONG, lines, SWE } from './predictions-fixture.ts'
import { FIRST, SECOND } from './predictions-prompts.ts'
import { WIDTH_FIXED } from './reply-field-cases.ts'

describe('openPredictions', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'predictions-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const load = (path: string, format?: string) => {
    const result = openPredictions(path, context(format))
    if (!result.ok) return result
    const value = collected(result.value)
    result.value.close()
    return ok(value)
  }

  test('reads a folder with one file for each task', () => {
    mkdirSync(join(folder, 'failmap_ttl-off-by-one-unit_1'))
    writeFileSync(join(folder, 'failmap_ttl-off-by-one-unit_1', '0.py'), WIDTH_FIXED)
    writeFileSync(join(folder, `${SECOND}.py`), WIDTH_FIXED)
    writeFileSync(join(folder, 'notes.txt'), 'x')
    expect(load(folder)).toMatchObject({ ok: true, value: { patches: BOTH, model: null } })
    expect(load(folder, 'directory')).toMatchObject({ ok: true })
    expect(load(folder, 'evalplus')).toMatchObject({ ok: false })
  })

  test('refuses two files for one task', () => {
    mkdirSync(join(folder, FIRST))
    writeFileSync(join(folder, FIRST, '0.py'), WIDTH_FIXED)
    writeFileSync(join(folder, FIRST, '1.py'), LONG)
    const result = load(folder)
    expect(result.ok ? '' : result.error.why).toContain('0.py')
  })

  test('reads a file', () => {
    writeFileSync(join(folder, 'p.jsonl'), lines(SWE))
    expect(load(join(folder, 'p.jsonl'))).toMatchObject({ ok: true, value: { patches: BOTH } })
  })

  test.each([
    ['nothing', ''],
    ['blank lines', ' \n\n'],
    ['an empty list', '[]'],
    ['an empty dict', '{}'],
    ['a text', '"none"'],
  ])('refuses a file that holds %s: an empty submission is an attempt spent', (_what, text) => {
    writeFileSync(join(folder, 'p.json'), text)
    const result = load(join(folder, 'p.json'))
    expect(result).toMatchObject({ ok: false, error: { exit: 2 } })
    expect(result.ok ? '' : result.error.message).toMatch(/holds no predictions|is not JSON/)
  })

  test('refuses a folder without Python files', () => {
    expect(load(folder)).toMatchObject({ ok: false, error: { exit: 2 } })
  })

  test('reads what comes through a pipe', () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    writeFileSync(join(folder, 'p.jsonl'), lines(SWE))
    // Opening a pipe blocks this process until another opens the other end.
    spawn('sh', ['-c', 'cat "$0/p.jsonl" > "$0/pipe"', folder], { stdio: 'ignore' })
    expect(load(pipe)).toMatchObject({ ok: true, value: { patches: BOTH } })
  })

  test('shows foreign ids without what moves a cursor, and shortened', () => {
    const records = ['\u001b[2J\u0007', 'x'.repeat(5000)].map((id) => ({
      ...SWE[0],
      instance_id: id,
    }))
    writeFileSync(join(folder, 'p.jsonl'), lines(records))
    const result = load(join(folder, 'p.jsonl'))
    expect(result.ok ? '' : result.error.why).toMatch(/^found: \[2J, x{200}…$/)
  })

  test('says that a file is not there', () => {
    expect(load(join(folder, 'none.jsonl'))).toMatchObject({ ok: false, error: { exit: 2 } })
  })
})
