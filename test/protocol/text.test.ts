import { describe, expect, test } from 'vitest'
import { instantSchema, toInstant, toSeconds } from '../../src/protocol/instant.ts'
import { normaliseOrigin, originSchema } from '../../src/protocol/origin.ts'
import { ROUTES, routePath } from '../../src/protocol/routes.ts'
import { displayTextSchema, nameSchema, textSchema, utf8Length } from '../../src/protocol/text.ts'

describe('utf8Length', () => {
  test('is the number of encoded bytes', () => {
    for (const text of ['', 'a', 'é', '€', '😀', 'a\u0000é€😀\n']) {
      expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
    }
    expect(textSchema(3).safeParse('€').success).toBe(true)
  })
})

describe('displayTextSchema', () => {
  const accepts = (text: string) => displayTextSchema(120).safeParse(text).success
  test('takes markup as the plain text that it is (CL-199)', () => {
    expect(accepts('<img src=x onerror=alert(1)>')).toBe(true)
    expect(accepts('[click](javascript:alert(1))')).toBe(true)
    expect(accepts('Müller & Söhne 株式会社 😀')).toBe(true)
  })
  test('refuses line breaks, controls and characters that reorder text (CL-199)', () => {
    for (const character of [
      '\n',
      '\r',
      '\u0000',
      '\u001b',
      '\u0085',
      '\u2028',
      '\u202e',
      '\u2066',
      '\u200f',
      '\ufeff',
      '\ud800',
    ]) {
      expect(accepts(`a${character}b`), JSON.stringify(character)).toBe(false)
    }
    for (const text of ['', ' a', 'a ', 'x'.repeat(121)]) expect(accepts(text)).toBe(false)
  })
  test('refuses what cannot be seen, and takes the joiners of scripts and emoji', () => {
    for (const unseen of ['\u00ad', '\u200b', '\u2060', '\u3164', '\u115f', '\u{e0041}']) {
      expect(accepts(`Ac${unseen}me`), JSON.stringify(unseen)).toBe(false)
      expect(accepts(unseen), JSON.stringify(unseen)).toBe(false)
    }
    expect(accepts('\u200d')).toBe(false)
    expect(accepts('\u0301')).toBe(false)
    expect(accepts('می\u200cخواهم ❤\ufe0f 👩\u200d💻')).toBe(true)
  })
  test('keeps names of organisations apart from their ids', () => {
    expect(nameSchema.safeParse('org_0123456789abcdef').success).toBe(false)
  })
})

describe('instantSchema', () => {
  test('has one spelling of a moment', () => {
    expect(instantSchema.parse('2026-02-28T23:59:59Z')).toBe('2026-02-28T23:59:59Z')
    for (const text of [
      '2026-02-29T00:00:00Z',
      '2026-02-28T24:00:00Z',
      '2026-02-28T23:59:60Z',
      '2026-02-28T23:59:59.000Z',
      '2026-02-28T23:59:59+00:00',
      '2026-02-28T23:59:59z',
      '2026-02-28 23:59:59Z',
      '2026-13-01T00:00:00Z',
    ]) {
      expect(instantSchema.safeParse(text).success, text).toBe(false)
    }
  })
  test('goes to seconds and back', () => {
    expect(toInstant(0)).toBe('1970-01-01T00:00:00Z')
    expect(toInstant(1_796_000_000.9)).toBe('2026-11-30T00:53:20Z')
    expect(toSeconds('2026-11-30T00:53:20Z')).toBe(1_796_000_000)
  })
})

describe('originSchema', () => {
  test('has one spelling of an address (CL-162)', () => {
    for (const text of [
      'https://api.example/',
      'HTTPS://API.example:443',
      'https://api.example/v1?x#y',
    ]) {
      expect(normaliseOrigin(text)).toBe('https://api.example')
      expect(originSchema.safeParse(text).success).toBe(false)
    }
    expect(originSchema.parse('http://127.0.0.1:8787')).toBe('http://127.0.0.1:8787')
  })
  test('is the address of a web service', () => {
    for (const text of [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'api.example',
      '',
      'ftp://x',
    ]) {
      expect(normaliseOrigin(text)).toBeUndefined()
    }
  })
})

describe('routePath', () => {
  test('fills the one parameter and cannot be led elsewhere', () => {
    expect(routePath('patches', 'sub_1')).toBe('/v1/submissions/sub_1/patches')
    expect(routePath('reportJws', 'rpt_1')).toBe('/v1/reports/rpt_1.jws')
    expect(routePath('epoch', '../keys')).toBe('/v1/epochs/..%2Fkeys')
    expect(routePath('home')).toBe(ROUTES.home)
  })
})
