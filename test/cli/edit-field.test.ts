import { describe, expect, test } from 'vitest'
import { applyDiffText } from '../../src/cli/model/edit.ts'
import { canonicalModule } from '../../src/cli/model/reply-text.ts'
import { section } from './reply-field-cases.ts'

function play(id: string) {
  const base = canonicalModule(section(id, 'base'))
  return { base, result: applyDiffText(section(id, 'diff'), base, 'width') }
}

describe('applyDiffText plays the field rows about applying a diff', () => {
  test('CL-021: a path out of the folder refuses the diff', () => {
    const { result } = play('CL-021')
    expect(result).toMatchObject({ ok: false, status: 'apply_failed' })
    expect(result.notes).toContain('cause=path')
  })

  test('CL-025: the part for the module is applied, the part for a test file counted', () => {
    const { result } = play('CL-025')
    expect(result).toMatchObject({ ok: true, module: 'def width(a, b):\n    return abs(b - a)\n' })
    expect(result.notes).toContain('extra_file=1')
  })

  test('CL-031: the body of a hunk wins over its counts', () => {
    const { result } = play('CL-031')
    expect(result).toMatchObject({ ok: true, module: 'A = 2\nB = 3\nC = 4\n' })
    expect(result.notes).toContain('recounted')
  })

  test('CL-033: an empty line inside a hunk is blank context', () => {
    const { result } = play('CL-033')
    expect(result).toMatchObject({ ok: true, module: 'a = 1\n\nb = 20\n\nc = 3\n' })
    expect(result.notes).not.toContain('recounted')
  })

  test('CL-035: the last newline of a diff makes no difference', () => {
    const { base, result } = play('CL-035')
    expect(result).toMatchObject({ ok: true, module: 'a = 10\n' })
    expect(applyDiffText(`${section('CL-035', 'diff')}\n`, base, 'width')).toEqual(result)
  })

  test('CL-037: CRLF in the module does not hinder, and the result is LF only', () => {
    expect(play('CL-037').result).toMatchObject({ ok: true, module: 'a = 1\nb = 20\nc = 3\n' })
  })

  test.each(['\f', '\u2028', '\u2029', '\u0085', '\u001c', '\u001d', '\u001e'])(
    'CL-039: %j stays inside its line',
    (character) => {
      const base = section('CL-039', 'base').replace('\f', character)
      const result = applyDiffText(section('CL-039', 'diff'), canonicalModule(base), 'right')
      const module = `def left():\n    return 1\n${character}\ndef right():\n    return 2\n`
      expect(result).toMatchObject({ ok: true, module })
    },
  )
})
