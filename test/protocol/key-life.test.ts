import { describe, expect, test } from 'vitest'
import { checkKeyLife } from '../../src/protocol/lifetime.ts'
import { NOW } from './sample.ts'

describe('checkKeyLife', () => {
  const life = { registeredAt: NOW, revokedAt: null }
  test('refuses a revoked key whenever it signed (J10)', () => {
    const revoked = { ...life, revokedAt: NOW + 50 }
    expect(checkKeyLife(revoked, NOW + 10)).toMatchObject({ error: { slug: 'key-revoked' } })
  })
  test('refuses what was signed before the key was registered (J10)', () => {
    expect(checkKeyLife(life, NOW - 600)).toMatchObject({ error: { slug: 'token-invalid' } })
  })
  test('forgives a clock that is a little behind', () => {
    expect(checkKeyLife(life, NOW - 90).ok).toBe(true)
  })
})
