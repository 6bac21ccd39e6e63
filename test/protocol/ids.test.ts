import { describe, expect, test } from 'vitest'
import { fromBase64url, toBase64url } from '../../src/protocol/base64url.ts'
import { EMPTY_SHA256, sha256Hex } from '../../src/protocol/digest.ts'
import {
  epochIdSchema,
  instanceIdSchema,
  keyIdSchema,
  parseInstanceId,
  toInstanceId,
  toReportId,
  toSubmissionId,
} from '../../src/protocol/ids.ts'
import digests from '../vectors/digests.json'
import ids from '../vectors/ids.json'

const hex = (bytes: Uint8Array | undefined) =>
  bytes && [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const shown = (text: string) => JSON.stringify(text.slice(0, 40))

describe('instanceIdSchema', () => {
  for (const [id, category, number] of ids.instance_id.accepted) {
    test(`accepts ${id} and reads its parts back`, () => {
      expect(instanceIdSchema.safeParse(id).success).toBe(true)
      expect(parseInstanceId(String(id))).toEqual({ category, number })
      expect(toInstanceId(String(category), Number(number))).toBe(id)
    })
  }
  for (const id of ids.instance_id.refused) {
    test(`refuses ${shown(id)}`, () => {
      expect(instanceIdSchema.safeParse(id).success).toBe(false)
    })
  }
})

describe('epochIdSchema', () => {
  test('accepts lower-case words joined by hyphens', () => {
    for (const id of ids.epoch_id.accepted) expect(epochIdSchema.parse(id)).toBe(id)
  })
  test('refuses everything else, above all a slash, which would blur key derivation', () => {
    for (const id of ids.epoch_id.refused) {
      expect(epochIdSchema.safeParse(id).success, shown(id)).toBe(false)
    }
  })
})

describe('keyIdSchema', () => {
  test('accepts a thumbprint', () => {
    for (const id of ids.key_id.accepted) expect(keyIdSchema.parse(id)).toBe(id)
  })
  for (const id of ids.key_id.refused) {
    test(`refuses ${shown(id)}`, () => expect(keyIdSchema.safeParse(id).success).toBe(false))
  }
})

describe('toSubmissionId', () => {
  test('follows from the manifest digest, and the report id from it', () => {
    for (const { manifest, submission, report } of ids.submission) {
      expect(toSubmissionId(manifest)).toBe(submission)
      expect(toReportId(submission)).toBe(report)
    }
  })
})

describe('sha256Hex', () => {
  test('digests the UTF-8 bytes', async () => {
    for (const { text, sha256 } of digests.digests) {
      expect(await sha256Hex(text)).toBe(sha256)
      expect(await sha256Hex(new TextEncoder().encode(text))).toBe(sha256)
    }
  })
  test('of nothing is the digest of a request without body', async () => {
    expect(await sha256Hex('')).toBe(EMPTY_SHA256)
  })
})

describe('fromBase64url', () => {
  test('reads what toBase64url writes', () => {
    for (const [text, bytes] of ids.base64url.accepted) {
      const read = fromBase64url(String(text))
      expect(hex(read)).toBe(bytes)
      expect(read && toBase64url(read)).toBe(text)
    }
    const large = new Uint8Array(100_001).fill(0xa5)
    expect(fromBase64url(toBase64url(large))).toEqual(large)
  })
  test('refuses padding, other alphabets and a second spelling of the same bytes', () => {
    for (const text of ids.base64url.refused) expect(fromBase64url(text), text).toBeUndefined()
  })
})
