import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Failure } from '../../src/cli/failure.ts'
import { sourceOf } from '../../src/cli/predictions-bytes.ts'
import { readContainer } from '../../src/cli/predictions-container.ts'
import { withKeyAsId } from '../../src/cli/predictions-shapes.ts'

const valuesOf = (text: string, name = 'p.json') => {
  const source = sourceOf(new TextEncoder().encode(text), name)
  return [...readContainer(source).records()].map(({ value }) => value)
}
const record = fc.dictionary(fc.string(), fc.jsonValue())
const indent = fc.constantFrom(undefined, 1, '\t')

describe('readContainer', () => {
  test('finds in a list what JSON.parse finds', () => {
    fc.assert(
      fc.property(fc.array(record), indent, (records, space) => {
        const text = JSON.stringify(records, null, space)
        expect(valuesOf(`\n ${text}\n`)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('finds in a dict what JSON.parse finds', () => {
    const dict = fc.uniqueArray(fc.tuple(fc.string(), record), { selector: ([key]) => key })
    fc.assert(
      fc.property(dict, indent, (entries, space) => {
        const members = entries.map(
          ([key, value]) => `${JSON.stringify(key)} : ${JSON.stringify(value, null, space)}`,
        )
        expect(valuesOf(`{${members.join(' ,\n')}}`)).toEqual(
          entries.map(([key, value]) => withKeyAsId(key, JSON.parse(JSON.stringify(value)))),
        )
      }),
    )
  })

  test('finds in lines what JSON.parse finds, U+2028 and CRLF included', () => {
    const end = fc.constantFrom('\n', '\r\n', '\n\n')
    fc.assert(
      fc.property(fc.array(record, { minLength: 2 }), end, (records, lineEnd) => {
        const text = records.map((each) => `${JSON.stringify(each)}${lineEnd}`).join('')
        expect(valuesOf(text, 'p.jsonl')).toEqual(JSON.parse(JSON.stringify(records)))
      }),
    )
  })

  test('refuses a document that lost or gained a bracket, comma, colon or quote, as JSON.parse does', () => {
    const text = JSON.stringify([
      { instance_id: 'a', module: 'x = "[{,"\n' },
      { instance_id: 'b', module: null },
    ])
    const faulty = fc.tuple(
      fc.nat(text.length - 1),
      fc.constantFrom('', '[', ']', '{', '}', ',', ':', '"', '\\', ' ', 'é'),
    )
    fc.assert(
      fc.property(faulty, ([at, put]) => {
        const changed = `${text.slice(0, at)}${put}${text.slice(at + 1)}`
        const parsed = attempt(() => JSON.parse(changed))
        const found = attempt(() => valuesOf(changed))
        if (parsed === undefined) expect(found).toBeUndefined()
        else if (Array.isArray(parsed)) expect(found).toEqual(parsed)
      }),
      { numRuns: 500 },
    )
  })

  test('names item and line of what is no JSON', () => {
    const source = sourceOf(new TextEncoder().encode('[\n{"a": 1},\n{"b": 01}\n]'), 'p.json')
    expect(() => [...readContainer(source).records()]).toThrow(
      expect.objectContaining({ why: expect.stringMatching(/^item 2, line 3: /) }),
    )
  })

  test('reads records that lie across the pieces of a large file', () => {
    const records = Array.from({ length: 300 }, (_, at) => ({ at, text: 'é"\\'.repeat(at) }))
    expect(valuesOf(JSON.stringify(records))).toEqual(records)
    expect(valuesOf(records.map((each) => JSON.stringify(each)).join('\n'), 'p.jsonl')).toEqual(
      records,
    )
  })
})

function attempt(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    if (error instanceof Failure || error instanceof SyntaxError) return undefined
    throw error
  }
}
