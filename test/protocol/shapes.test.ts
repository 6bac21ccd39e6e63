import { describe, expect, test } from 'vitest'
import {
  drawingSchema,
  epochCardSchema,
  epochDraftSchema,
  epochPhase,
} from '../../src/protocol/epoch.ts'
import { toSeconds } from '../../src/protocol/instant.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { manifestSchema } from '../../src/protocol/manifest.ts'
import { patchSchema } from '../../src/protocol/patch.ts'
import { promptSchema } from '../../src/protocol/prompt.ts'
import { shardRequestSchema, workMessageSchema } from '../../src/protocol/shard.ts'
import { sampleCard, sampleManifest } from './sample.ts'

const ID = 'failmap__ttl-off-by-one-unit-17'
const card = sampleCard('live')
const KEY = 'key_kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'

describe('patchSchema', () => {
  const accepts = (value: unknown) => patchSchema.safeParse(value).success
  test('takes a module, or null with the reason', () => {
    expect(accepts({ instance_id: ID, module: 'def f():\n    return 1\n' })).toBe(true)
    expect(accepts({ instance_id: ID, module: '' })).toBe(true)
    expect(accepts({ instance_id: ID, module: null, reason: 'truncated' })).toBe(true)
  })
  test('takes CRLF, a byte order mark and NUL as they are: what they mean is judged (S01, S03)', () => {
    expect(accepts({ instance_id: ID, module: '\ufeffx = 1\r\n\u0000' })).toBe(true)
  })
  test('refuses everything between the two forms', () => {
    expect(accepts({ instance_id: ID, module: null })).toBe(false)
    expect(accepts({ instance_id: ID, module: null, reason: 'because' })).toBe(false)
    expect(accepts({ instance_id: ID, module: 'x', reason: 'empty' })).toBe(false)
    expect(accepts({ instance_id: ID })).toBe(false)
    expect(accepts({ instance_id: ID, module: 'x', path: '../../conftest.py' })).toBe(false)
    expect(accepts({ instance_id: `${ID}/..`, module: 'x' })).toBe(false)
  })
  test('counts UTF-8 bytes, not characters (S06)', () => {
    expect(accepts({ instance_id: ID, module: 'x'.repeat(LIMITS.moduleBytes) })).toBe(true)
    expect(accepts({ instance_id: ID, module: 'x'.repeat(LIMITS.moduleBytes + 1) })).toBe(false)
    expect(accepts({ instance_id: ID, module: 'é'.repeat(LIMITS.moduleBytes / 2 + 1) })).toBe(false)
  })
  test('refuses lone surrogates, which have no UTF-8 form (U06)', () => {
    expect(accepts({ instance_id: ID, module: '\ud800' })).toBe(false)
  })
})

describe('manifestSchema', () => {
  const manifest = sampleManifest(card, KEY)
  test('takes a manifest with everything unknown about the model left null', () => {
    const unknown = {
      ...manifest.model,
      parameters: null,
      quantisation: null,
      weights_sha256: null,
      server: null,
      context_length: null,
      sampling: { temperature: null, top_p: null, top_k: null, seed: null, max_tokens: null },
    }
    expect(manifestSchema.safeParse(manifest).success).toBe(true)
    expect(manifestSchema.safeParse({ ...manifest, model: unknown }).success).toBe(true)
  })
  test('takes no unknown key at any level and misses none', () => {
    expect(manifestSchema.safeParse({ ...manifest, score: 100 }).success).toBe(false)
    const epoch = { ...manifest.epoch, root: 'x' }
    expect(manifestSchema.safeParse({ ...manifest, epoch }).success).toBe(false)
    for (const key of Object.keys(manifest)) {
      const rest = Object.fromEntries(Object.entries(manifest).filter(([name]) => name !== key))
      expect(manifestSchema.safeParse(rest).success, key).toBe(false)
    }
  })
})

describe('drawingSchema', () => {
  const drawing = {
    drawing: 1,
    epoch: card.id,
    practice: 1,
    sealed: 2,
    corpus: card.corpus,
    prompt_version: 1,
    prompts: { sha256: card.prompts.sha256, bytes: 10, count: 6 },
    commitment: card.commitment,
    categories: card.categories
      .slice(0, 2)
      .map((category) => ({ ...category, counters: [0, 3, 1] })),
  }
  const accepts = (more: object) => drawingSchema.safeParse({ ...drawing, ...more }).success
  test('takes what an export writes', () => expect(accepts({})).toBe(true))
  test('refuses counts and counters that do not add up', () => {
    expect(accepts({ prompts: { ...drawing.prompts, count: 7 } })).toBe(false)
    expect(accepts({ sealed: 3 })).toBe(false)
    expect(accepts({ practice: 0, sealed: 0 })).toBe(false)
  })
  test('refuses a category twice, and a public one that the map does not have', () => {
    const [first, second] = drawing.categories
    expect(accepts({ categories: [first, first] })).toBe(false)
    expect(accepts({ categories: [first, { ...second, slug: 'made-up' }] })).toBe(false)
    expect(accepts({ categories: [first, { ...second, domain: 'missing-config' }] })).toBe(false)
    expect(
      accepts({ categories: [first, { ...second, slug: 'made-up', origin: 'overlay' }] }),
    ).toBe(true)
  })
  test('opens an epoch only for a time that exists', () => {
    const draft = {
      kind: 'live',
      title: 'November',
      opens_at: '2026-11-01T00:00:00Z',
      closes_at: '2026-11-29T00:00:00Z',
      drawing,
    }
    expect(epochDraftSchema.safeParse(draft).success).toBe(true)
    const backwards = { ...draft, closes_at: draft.opens_at }
    expect(epochDraftSchema.safeParse(backwards).success).toBe(false)
    expect(epochDraftSchema.safeParse({ ...draft, root: 'secret' }).success).toBe(false)
  })
})

describe('epochPhase', () => {
  test('opens at opens_at and is closed at closes_at', () => {
    const opens = toSeconds(card.opens_at)
    const closes = toSeconds(card.closes_at)
    expect(epochPhase(card, opens - 1)).toBe('upcoming')
    expect(epochPhase(card, opens)).toBe('open')
    expect(epochPhase(card, closes - 1)).toBe('open')
    expect(epochPhase(card, closes)).toBe('closed')
  })
  test('reads a card that takes no unknown key', () => {
    expect(epochCardSchema.safeParse({ ...card, root: 'x' }).success).toBe(false)
  })
})

describe('promptSchema', () => {
  const prompt = {
    instance_id: ID,
    domain: 'caching-expiry',
    category: 'ttl-off-by-one-unit',
    part: 'practice',
    entry_point: 'get',
    contract: ['1. Returns the value.'],
    module: 'def get():\n    return None\n',
    visible: [
      { check: { steps: [['call', 'get']] }, assert: 'assert get() == 1', expected: ['i', '1'] },
    ],
    prompt: 'Mend this module.',
    prompt_version: 1,
  }
  test('takes a line and carries checks as data', () => {
    expect(promptSchema.parse(prompt)).toEqual(prompt)
  })
  test('has no room for a hidden check or a seed', () => {
    expect(promptSchema.safeParse({ ...prompt, hidden: [] }).success).toBe(false)
    expect(promptSchema.safeParse({ ...prompt, domain: 'x' }).success).toBe(false)
  })
})

describe('workMessageSchema', () => {
  const shard = {
    v: 1,
    kind: 'shard',
    submission: `sub_${'a'.repeat(40)}`,
    category: 'ttl-off-by-one-unit',
    digest: 'b'.repeat(64),
  }
  test('takes the two kinds and no patch', () => {
    expect(workMessageSchema.safeParse(shard).success).toBe(true)
    const { v, submission } = shard
    expect(workMessageSchema.safeParse({ v, kind: 'close', submission }).success).toBe(true)
    expect(workMessageSchema.safeParse({ ...shard, patches: [] }).success).toBe(false)
    expect(workMessageSchema.safeParse({ ...shard, kind: 'sweep' }).success).toBe(false)
    expect(workMessageSchema.safeParse({ ...shard, v: 2 }).success).toBe(false)
  })
})

describe('shardRequestSchema', () => {
  test('names the key as 32 bytes and carries full modules', () => {
    const request = {
      protocol: 1,
      corpus: 'a'.repeat(64),
      epoch: { id: 'live-2026-11', key: 'A'.repeat(43), practice: 16, sealed: 80 },
      category: 'ttl-off-by-one-unit',
      counters: [0, 1],
      submission: `sub_${'a'.repeat(40)}`,
      patches: [{ instance_id: ID, module: null }],
    }
    expect(shardRequestSchema.safeParse(request).success).toBe(true)
    const epoch = { ...request.epoch, key: 'A'.repeat(42) }
    expect(shardRequestSchema.safeParse({ ...request, epoch }).success).toBe(false)
  })
})
