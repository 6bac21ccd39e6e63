import { createHash } from 'node:crypto'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import { canonicalSha256 } from '../../src/protocol/digest.ts'
import type { EpochCard, EpochView } from '../../src/protocol/epoch.ts'
import { toInstanceId } from '../../src/protocol/ids.ts'
import { CATEGORIES } from '../../src/protocol/map.ts'
import { POLICIES } from '../../src/protocol/policy-data.ts'
import type { Prompt } from '../../src/protocol/prompt.ts'

export const FAULTY = 'def width(a, b):\n    return b - a\n'
export const FIXED = 'def width(a, b):\n    return abs(b - a)\n'

export type SampleEpoch = { view: EpochView; prompts: Prompt[]; text: string }

/** An open epoch of small tasks whose right module is always `FIXED`. */
export async function sampleEpoch({
  categories = 4,
  practice = 1,
  sealed = 3,
  id = 'open-2026-11',
  pad = 0,
  visible = [] as Prompt['visible'],
} = {}): Promise<SampleEpoch> {
  const chosen = CATEGORIES.slice(0, categories)
  const perCategory = practice + sealed
  const prompts = chosen.flatMap((category) =>
    Array.from({ length: perCategory }, (_, at): Prompt => {
      const instanceId = toInstanceId(category.slug, at + 1)
      return {
        instance_id: instanceId,
        domain: category.domain,
        category: category.slug,
        part: at < practice ? 'practice' : 'sealed',
        entry_point: 'width',
        contract: ['width(a, b) is the distance of a and b.'],
        module: FAULTY,
        visible,
        prompt: `Task ${instanceId}. Mend this module:\n\n${FAULTY}${' '.repeat(pad)}`,
        prompt_version: 1,
      }
    }),
  )
  const text = prompts.map((prompt) => `${canonicalJson(prompt)}\n`).join('')
  const hex = (digit: string) => digit.repeat(64)
  const card: EpochCard = {
    card: 1,
    id,
    kind: 'open',
    title: 'November 2026',
    opens_at: '2026-11-01T00:00:00Z',
    closes_at: '2036-11-01T00:00:00Z',
    practice,
    sealed,
    corpus: hex('a'),
    drawing: hex('b'),
    prompt_version: 1,
    prompts: {
      sha256: createHash('sha256').update(text).digest('hex'),
      bytes: Buffer.byteLength(text),
      count: prompts.length,
    },
    commitment: hex('c'),
    policy: POLICIES.open,
    categories: chosen.map(({ slug, domain }) => ({ slug, domain, origin: 'public' })),
  }
  const view: EpochView = {
    card,
    card_sha256: await canonicalSha256(card),
    phase: 'open',
    release_at: null,
    root: null,
  }
  return { view, prompts, text }
}
