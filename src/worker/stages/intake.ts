import { readKeyId } from '../../protocol/compact.ts'
import { type EpochCard, epochPhase } from '../../protocol/epoch.ts'
import { toSubmissionId } from '../../protocol/ids.ts'
import { openManifest } from '../../protocol/jws.ts'
import { readPublicJwk } from '../../protocol/keys.ts'
import { checkKeyLife } from '../../protocol/lifetime.ts'
import { LIMITS } from '../../protocol/limits.ts'
import type { Manifest } from '../../protocol/manifest.ts'
import type { Refusal } from '../../protocol/problem.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { budgetName } from '../budget.ts'
import { cardOf } from '../card.ts'
import type { Deps } from '../deps.ts'
import { type EpochRow, findEpoch } from '../store/epochs.ts'
import { findKey, lifeOf } from '../store/keys.ts'
import {
  cancelOpen,
  findSubmission,
  insertSubmission,
  type SubmissionRow,
} from '../store/submissions.ts'

export type Opened = { row: SubmissionRow; created: boolean }

const refuse = (slug: Refusal['slug'], detail?: string) =>
  err<Refusal>(detail === undefined ? { slug } : { slug, detail })

/**
 * Opens a submission for a manifest that a key of the organisation signed. The same manifest is the
 * same submission, however often it comes: only the first one uses the budget.
 */
export async function openSubmission(
  deps: Deps,
  organisation: string,
  origin: string,
  jws: string,
): Promise<Result<Opened, Refusal>> {
  const now = deps.now()
  const opened = await readManifest(deps, organisation, origin, jws)
  if (!opened.ok) return opened
  const { manifest, sha256 } = opened.value
  const id = toSubmissionId(sha256)

  const known = await findSubmission(deps.db, id)
  if (known !== undefined) return ok({ row: known, created: false })

  const epoch = await findEpoch(deps.db, manifest.epoch.id)
  if (epoch === undefined) return refuse('not-found', 'There is no such epoch.')
  const card = cardOf(epoch)
  const fits = checkEpoch(manifest, epoch, card, now)
  if (!fits.ok) return fits

  const limit = card.policy[manifest.part].budget
  const budget = budgetName({ organisation, epoch: epoch.id, part: manifest.part })
  if (limit !== null && !(await deps.quota.take(budget, id, limit))) {
    const until = `${limit} ${manifest.part} submissions are used; the epoch closes ${card.closes_at}`
    return refuse('budget-spent', until)
  }

  const stored = await insertSubmission(deps.db, {
    id,
    organisation,
    key: manifest.iss,
    epoch: epoch.id,
    part: manifest.part,
    state: 'open',
    reason: null,
    manifest: jws,
    jti: manifest.jti,
    patchesSha256: manifest.patches.sha256,
    patchesBytes: manifest.patches.bytes,
    patchesCount: manifest.patches.count,
    shardsTotal: epoch.categories,
    upload: null,
    createdAt: now,
    receivedAt: null,
    progressedAt: null,
    touchedAt: now,
    sweeps: 0,
    finishedAt: null,
    report: null,
    practiceScores: null,
  })
  if (stored?.id === id) {
    // Withdrawn between the grant and now: that gave the place back before it was taken again.
    if (stored.state === 'cancelled') await deps.quota.giveBack(budget, id)
    return ok({ row: stored, created: stored.state === 'open' })
  }
  await deps.quota.giveBack(budget, id)
  return refuse('submission-conflict')
}

/** Opens the manifest with the key it names, which must be one of this organisation's. */
async function readManifest(deps: Deps, organisation: string, origin: string, jws: string) {
  const keyId = readKeyId(jws, 'manifest')
  const row = keyId === undefined ? undefined : await findKey(deps.db, keyId)
  if (row === undefined || row.organisation !== organisation) return refuse('signature-invalid')
  const key = readPublicJwk(JSON.parse(row.jwk))
  if (!key.ok) return key
  const nowSeconds = Math.floor(deps.now() / 1000)
  const opened = await openManifest(jws, key.value, { origin, nowSeconds })
  if (!opened.ok) return opened
  const { manifest } = opened.value
  if (manifest.iss !== row.id || manifest.organisation !== organisation) {
    return refuse('signature-invalid', 'iss and organisation must be those of the signing key')
  }
  const alive = checkKeyLife(lifeOf(row), manifest.iat)
  return alive.ok ? opened : alive
}

function checkEpoch(
  manifest: Manifest,
  epoch: EpochRow,
  card: EpochCard,
  now: number,
): Result<true, Refusal> {
  const phase = epochPhase(card, Math.floor(now / 1000))
  if (phase === 'closed') {
    return refuse('epoch-closed', `closed ${card.closes_at}`)
  }
  if (phase === 'upcoming' || epoch.promptsStoredAt === null) {
    return refuse('epoch-not-open', `opens ${card.opens_at}`)
  }
  if (manifest.epoch.card !== epoch.cardSha256 || manifest.epoch.prompts !== card.prompts.sha256) {
    return refuse('epoch-mismatch')
  }
  if (manifest.prompt_version !== card.prompt_version) {
    return refuse('epoch-mismatch', `the prompts of this epoch are version ${card.prompt_version}`)
  }
  if (manifest.patches.bytes > LIMITS.patchesBytes) {
    return refuse('body-too-large', `patches take at most ${LIMITS.patchesBytes} bytes`)
  }
  if (manifest.patches.count !== epoch.tasks) {
    return refuse('patches-mismatch', `the epoch has ${epoch.tasks} tasks, each needs one line`)
  }
  return ok(true)
}

/** Withdraws a submission before its patches are received; later it runs to its end. */
export async function withdraw(
  deps: Deps,
  submission: SubmissionRow,
): Promise<Result<SubmissionRow, Refusal>> {
  const row = await cancelOpen(deps.db, submission.id, 'withdrawn', deps.now())
  if (row?.state !== 'cancelled') return refuse('submission-state')
  await deps.quota.giveBack(budgetName(row), row.id)
  return ok(row)
}
