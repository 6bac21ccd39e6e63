import { describe, expect, test } from 'vitest'
import { slugSchema } from '../../src/protocol/ids.ts'
import {
  CATEGORIES,
  DOMAIN_SLUGS,
  DOMAINS,
  findCategory,
  findDomain,
} from '../../src/protocol/map.ts'

describe('the map', () => {
  test('has 16 domains of 16 categories, each slug once', () => {
    expect(DOMAINS).toHaveLength(16)
    expect(CATEGORIES).toHaveLength(256)
    expect(new Set(CATEGORIES.map(({ slug }) => slug)).size).toBe(256)
    for (const { slug, row } of DOMAINS) {
      const columns = CATEGORIES.filter(({ domain }) => domain === slug).map(({ column }) => column)
      expect(columns).toEqual([...Array(16).keys()])
      expect(DOMAIN_SLUGS[row]).toBe(slug)
    }
  })
  test('lists cells row by row', () => {
    for (const [index, { row, column }] of CATEGORIES.entries())
      expect(row * 16 + column).toBe(index)
  })
  test('uses slugs and one-line titles', () => {
    for (const { slug, title } of CATEGORIES) {
      expect(slugSchema.safeParse(slug).success, slug).toBe(true)
      expect(title).toMatch(/^\S.{2,60}\S$/)
    }
  })
  test('holds the three categories that the map began with', () => {
    expect(findCategory('dedup-key-too-narrow')?.domain).toBe('identity-dedup')
    expect(findCategory('ttl-off-by-one-unit')?.domain).toBe('caching-expiry')
    expect(findCategory('keyset-boundary-inclusive')?.domain).toBe('pagination-cursors')
  })
  test('finds nothing under names of object members', () => {
    for (const slug of ['__proto__', 'constructor', 'toString', '']) {
      expect(findCategory(slug)).toBeUndefined()
      expect(findDomain(slug)).toBeUndefined()
    }
  })
})
