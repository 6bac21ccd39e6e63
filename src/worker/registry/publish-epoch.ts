import { canonicalJson } from '../../protocol/canonical.ts'
import { canonicalSha256, sha256Hex } from '../../protocol/digest.ts'
import type { EpochCard, EpochDraft } from '../../protocol/epoch.ts'
import { commitmentOf, readRootKey } from '../../protocol/epoch-keys.ts'
import { toSeconds } from '../../protocol/instant.ts'
import { POLICIES } from '../../protocol/policy-data.ts'
import type { Refusal } from '../../protocol/problem.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { Deps } from '../deps.ts'
import { type EpochRow, insertEpoch } from '../store/epochs.ts'

export type Published = { row: EpochRow; created: boolean }

const refuse = (pointer: string, detail: string) =>
  err<Refusal>({ slug: 'body-invalid', errors: [{ pointer, detail }] })

/**
 * Stores an epoch, once and for ever. The root key must be deployed already and be the one that the
 * drawing is committed to: with another key every shard of the epoch would be judged on other tasks.
 */
export async function publishEpoch(
  deps: Deps,
  id: string,
  draft: EpochDraft,
): Promise<Result<Published, Refusal>> {
  const { drawing, kind, title } = draft
  if (drawing.epoch !== id) return refuse('/drawing/epoch', 'is another epoch than the path names')
  // One attempt a vendor means nothing while anybody may register as often as they like.
  if (kind === 'room' && !deps.settings.development) {
    return refuse('/kind', 'a room needs invited organisations, which this release does not have')
  }
  const root = readRootKey(deps.settings.epochKeys.get(id) ?? '')
  if (root === undefined) return refuse('/drawing/epoch', 'EPOCH_KEYS holds no root key for it')
  if ((await commitmentOf(id, root)) !== drawing.commitment) {
    return refuse('/drawing/commitment', 'does not commit to the root key in EPOCH_KEYS')
  }

  const card: EpochCard = {
    card: 1,
    id,
    kind,
    title,
    opens_at: draft.opens_at,
    closes_at: draft.closes_at,
    practice: drawing.practice,
    sealed: drawing.sealed,
    corpus: drawing.corpus,
    drawing: await canonicalSha256(drawing),
    prompt_version: drawing.prompt_version,
    prompts: drawing.prompts,
    commitment: drawing.commitment,
    policy: POLICIES[kind],
    categories: drawing.categories.map(({ slug, domain, origin }) => ({ slug, domain, origin })),
  }
  const text = canonicalJson(card)
  const { stored, created } = await insertEpoch(
    deps.db,
    {
      id,
      kind,
      title,
      opensAt: toSeconds(draft.opens_at) * 1000,
      closesAt: toSeconds(draft.closes_at) * 1000,
      card: text,
      cardSha256: await sha256Hex(text),
      categories: drawing.categories.length,
      tasks: drawing.prompts.count,
      promptsStoredAt: null,
      createdAt: deps.now(),
    },
    drawing.categories,
  )
  if (stored?.card !== text) return err({ slug: 'epoch-exists' })
  return ok({ row: stored, created })
}
