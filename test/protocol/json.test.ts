import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import { type JsonValue, readJson } from '../../src/protocol/json.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import vectors from '../vectors/json.json'

const reasonOf = (source: string | Uint8Array): string | undefined => {
  const read = readJson(source)
  return read.ok ? undefined : read.error.reason
}

describe('readJson', () => {
  for (const { name, text, reason } of vectors.refused) {
    test(`refuses ${name}`, () => expect(reasonOf(text)).toBe(reason))
  }

  for (const { name, text } of vectors.accepted) {
    test(`accepts ${name} as the stock reader does`, () => {
      expect(readJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
    })
  }

  test('reads whatever the stock writer writes, unless it hides a trap', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value)
        const read = readJson(text)
        if (read.ok) expect(JSON.stringify(read.value)).toBe(text)
        else {
          expect(read.error.reason).toMatch(/^(number|lone|forbidden)/)
        }
      }),
    )
  })

  test('never throws and never disagrees with the stock reader on arbitrary text', () => {
    const alphabet = fc.constantFrom(...'{}[]",:\\u0dE+-.1 \n\ttruefalsn', '\ud800', '\u0000')
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 24 }), (text) => {
        const read = readJson(text)
        if (read.ok) expect(read.value).toEqual(JSON.parse(text))
      }),
      { numRuns: 5000 },
    )
  })

  test('stops at the depth limit instead of the end of the stack', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(reasonOf(nested(LIMITS.jsonDepth + 1))).toBeUndefined()
    expect(reasonOf(nested(LIMITS.jsonDepth + 2))).toBe('nested too deep')
    expect(reasonOf(nested(100_000))).toBe('nested too deep')
  })

  test('stops at the limit of values', () => {
    expect(reasonOf(`[${'0,'.repeat(LIMITS.jsonValues)}0]`)).toBe('too many values')
  })

  test('refuses bytes that are not UTF-8, and a byte order mark', () => {
    expect(reasonOf(Uint8Array.of(0x22, 0xff, 0x22))).toBe('not UTF-8')
    expect(reasonOf(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22))).toBe('not UTF-8')
    expect(reasonOf(new TextEncoder().encode('\ufeff{}'))).toBe('a value is missing')
  })

  test('leaves prototypes alone', () => {
    expect(reasonOf('{"a":{"__proto__":{"polluted":true}}}')).toBe('forbidden key')
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

describe('canonicalJson', () => {
  for (const { name, value, canonical } of vectors.canonical) {
    test(`writes ${name}`, () => expect(canonicalJson(value)).toBe(canonical))
  }

  test('ignores the order of members and survives its own reader', () => {
    const exact = fc.oneof(
      fc.maxSafeInteger(),
      fc.integer().map((n) => n / 64),
    )
    const json = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false),
        exact.map((n) => (n === 0 ? 0 : n)),
        fc.string({ unit: 'grapheme' }),
        fc.array(tie('value')),
        fc.dictionary(fc.string({ unit: 'grapheme-ascii', maxLength: 5 }), tie('value')),
      ),
    })).value
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalJson(value)
        const read = readJson(text)
        if (!read.ok) return expect(read.error.reason).toBe('forbidden key')
        expect(canonicalJson(read.value)).toBe(text)
        expect(canonicalJson(reversed(value))).toBe(text)
      }),
    )
  })

  test('throws for what is not JSON instead of dropping it', () => {
    for (const value of [{ a: undefined }, [Number.NaN], '\ud800', { '\udc00': 1 }, new Date(0)]) {
      expect(() => canonicalJson(value)).toThrow(TypeError)
    }
  })
})

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  )
}
