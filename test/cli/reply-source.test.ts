import { describe, expect, test } from 'vitest'
import { replyToModule } from '../../src/cli/model/reply.ts'
import { WIDTH, WIDTH_FIXED } from './reply-field-cases.ts'

const fenced = (module: string) => `\`\`\`python\n${module}\n\`\`\`\n`
const read = (reply: string) => replyToModule(reply, { module: WIDTH, entryPoint: 'width' })

describe('replyToModule treats source text as the attack corpus wants it', () => {
  test('S01: CRLF, a byte-order mark and a missing final newline are canonical afterwards', () => {
    const source = `\ufeff${WIDTH_FIXED.trimEnd().replaceAll('\n', '\r\n')}`
    for (const reply of [source, fenced(source)])
      expect(read(reply)).toMatchObject({ status: 'ok', module: WIDTH_FIXED })
  })

  test.each(['cp1252', 'utf-7'])('S02: a coding line of %s is kept and noted', (name) => {
    const module = `# -*- coding: ${name} -*-\n${WIDTH_FIXED}`
    const outcome = read(fenced(module))
    expect(outcome).toMatchObject({ status: 'ok', module })
    expect(outcome.notes).toContain('encoding_cookie')
  })

  test.each([
    ['a NUL character', `${WIDTH_FIXED}\u0000`],
    ['text without a UTF-8 form', `X = '\udc80'\n${WIDTH_FIXED}`],
  ])('S03: %s is never sent', (_, module) => {
    expect(read(fenced(module))).toMatchObject({ status: 'bad_source', module: null })
  })

  test('S04: a future import, a docstring and an import that the module lacked are code', () => {
    const module = `from __future__ import annotations\n"""Doc."""\nimport math\n\n\n${WIDTH_FIXED}`
    expect(read(fenced(module))).toMatchObject({ status: 'ok', module })
  })

  test('S05: nothing is empty, and the faulty module is unchanged', () => {
    expect(read(fenced(''))).toMatchObject({ module: null })
    expect(read('')).toMatchObject({ status: 'empty', module: null })
    expect(read(fenced(WIDTH))).toMatchObject({ status: 'unchanged', module: WIDTH })
  })

  test('S06: a megabyte of source is not sent', () => {
    const module = `X = '${'x'.repeat(1_000_000)}'\n${WIDTH_FIXED}`
    for (const reply of [module, fenced(module)]) expect(read(reply).module).toBeNull()
  })

  test('S07: direction marks and names that fold under NFKC are left to the judge', () => {
    const module = WIDTH_FIXED.replace('return', "ﬁeld = 'a\u202eb'\n    return")
    expect(read(fenced(module))).toMatchObject({ status: 'ok', module })
  })
})
