import { buildReport } from '../../protocol/build-report.ts'
import { canonicalJson } from '../../protocol/canonical.ts'
import { sha256Hex } from '../../protocol/digest.ts'
import type { EpochCard } from '../../protocol/epoch.ts'
import { signReport } from '../../protocol/jws.ts'
import { practiceScores } from '../../protocol/policy.ts'
import { type Tally, tallySchema } from '../../protocol/tally.ts'
import { cardOf, closableAt } from '../card.ts'
import type { Deps } from '../deps.ts'
import { storedManifest } from '../manifest.ts'
import { blobKeys } from '../store/blobs.ts'
import { findEpoch } from '../store/epochs.ts'
import { findOrganisation } from '../store/organisations.ts'
import type { ReportRow } from '../store/reports.ts'
import {
  countUsage,
  findSubmission,
  markPracticed,
  markScored,
  type SubmissionRow,
  touch,
} from '../store/submissions.ts'
import { listTallies } from '../store/tallies.ts'
import { API_VERSION } from '../version.ts'

/**
 * Ends a submission whose shards are all judged: totals are computed anew from the tally rows, the
 * report is built, signed and stored. Twice gives the same bytes; early does nothing.
 */
export async function close(deps: Deps, id: string): Promise<void> {
  const row = await findSubmission(deps.db, id)
  if (row === undefined) throw new Error('a close of no submission')
  if (row.state !== 'received' && row.state !== 'judging') return
  const epoch = await findEpoch(deps.db, row.epoch)
  if (epoch === undefined) throw new Error('a submission without its epoch')
  const card = cardOf(epoch)

  const due = closableAt(card, row.part)
  if (due !== null && deps.now() < due) {
    await touch(deps.db, id, due)
    return
  }
  const rows = await listTallies(deps.db, id)
  if (rows.length < row.shardsTotal) return
  const tallies = rows.map(({ tally }) => tallySchema.parse(JSON.parse(tally)))

  if (row.part === 'practice') await endPractice(deps, row, card, tallies)
  else await endSealed(deps, row, card, tallies)
  deps.log('scored', { submission: id, part: row.part, shards: rows.length })
}

async function endPractice(deps: Deps, row: SubmissionRow, card: EpochCard, tallies: Tally[]) {
  const counts = tallies.map(({ category, parts: { practice } }) => ({ category, practice }))
  const scores = canonicalJson(practiceScores(card, row.id, counts))
  await markPracticed(deps.db, row.id, scores, deps.now())
}

async function endSealed(deps: Deps, row: SubmissionRow, card: EpochCard, tallies: Tally[]) {
  const [{ manifest, sha256: manifestSha256 }, organisation, used] = await Promise.all([
    storedManifest(row),
    findOrganisation(deps.db, row.organisation),
    countUsage(deps.db, row.organisation, row.epoch),
  ])
  const built = buildReport({
    // The audience that the submitter signed for was checked to be ours.
    origin: manifest.aud,
    api: API_VERSION,
    card,
    manifest,
    manifestSha256,
    organisationName: organisation?.name ?? null,
    usage: card.policy.sealed.budget === null ? null : used,
    tallies,
  })
  // Each tally was checked when it came, so a set that does not fit is a bug and must not be scored.
  if (!built.ok) throw new Error(`no report: ${built.error.why}`)
  const report = built.value
  const jws = await signReport(report, await deps.signer())
  const sha256 = await sha256Hex(jws)
  await deps.blobs.put(blobKeys.report(sha256), jws)
  const { overall } = report
  const line: ReportRow = {
    id: report.id,
    submission: row.id,
    organisation: row.organisation,
    epoch: row.epoch,
    sha256,
    model: manifest.model.name,
    organisationName: report.submission.organisation_name,
    fixed: overall.shown ? JSON.stringify(overall.fixed) : null,
    submittedAt: row.createdAt,
  }
  await markScored(deps.db, line, deps.now())
}
