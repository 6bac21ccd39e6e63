import { canonicalJson } from '../../src/protocol/canonical.ts'
import { sha256Hex } from '../../src/protocol/digest.ts'
import type { Drawing, EpochDraft } from '../../src/protocol/epoch.ts'
import { commitmentOf, readRootKey } from '../../src/protocol/epoch-keys.ts'
import { toInstanceId } from '../../src/protocol/ids.ts'
import { toInstant } from '../../src/protocol/instant.ts'
import { CATEGORIES } from '../../src/protocol/map.ts'
import type { EpochKind } from '../../src/protocol/policy-data.ts'
import { ROOT_KEYS } from './secrets.ts'
import { NOW } from './time.ts'

export type SampleEpoch = {
  id: string
  draft: EpochDraft
  prompts: string
  instanceIds: string[]
  /** Every third task, so that practice is spread over the numbers. */
  isPractice(number: number): boolean
}

export type SampleSize = { categories: number; practice: number; sealed: number }
export const SMALL: SampleSize = { categories: 4, practice: 2, sealed: 4 }

/** An epoch of the first categories of the map, open for 28 days around NOW. */
export async function sampleEpoch(
  id: string,
  kind: EpochKind,
  { categories, practice, sealed }: SampleSize = SMALL,
): Promise<SampleEpoch> {
  const tasks = practice + sealed
  const every = practice === 0 ? Number.POSITIVE_INFINITY : Math.floor(tasks / practice)
  const isPractice = (number: number) => number % every === 0 && number / every <= practice
  const drawn = CATEGORIES.slice(0, categories)
  const lines: string[] = []
  const instanceIds: string[] = []
  for (const { slug, domain } of drawn) {
    for (let number = 1; number <= tasks; number += 1) {
      const instance_id = toInstanceId(slug, number)
      instanceIds.push(instance_id)
      lines.push(
        canonicalJson({
          instance_id,
          domain,
          category: slug,
          part: isPractice(number) ? 'practice' : 'sealed',
          entry_point: 'solve',
          contract: ['Answers the absolute difference.'],
          module: 'def solve(a, b):\n    return b - a\n',
          visible: [],
          prompt: 'Repair the module.',
          prompt_version: 1,
        }),
      )
    }
  }
  const prompts = lines.map((line) => `${line}\n`).join('')
  const root = readRootKey(ROOT_KEYS[id] ?? '') ?? new Uint8Array(32)
  const drawing: Drawing = {
    drawing: 1,
    epoch: id,
    practice,
    sealed,
    corpus: 'c'.repeat(64),
    prompt_version: 1,
    prompts: {
      sha256: await sha256Hex(prompts),
      bytes: new TextEncoder().encode(prompts).byteLength,
      count: lines.length,
    },
    commitment: await commitmentOf(id, root),
    categories: drawn.map(({ slug, domain }) => ({
      slug,
      domain,
      origin: 'public',
      counters: Array.from({ length: tasks }, (_, index) => index),
    })),
  }
  const draft: EpochDraft = {
    kind,
    title: `Sample ${id}`,
    opens_at: toInstant(NOW - 14 * 86_400),
    closes_at: toInstant(NOW + 14 * 86_400),
    drawing,
  }
  return { id, draft, prompts, instanceIds, isPractice }
}
