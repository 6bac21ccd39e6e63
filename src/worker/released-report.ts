import { fromBase64url } from '../protocol/base64url.ts'
import { isReleased } from '../protocol/policy.ts'
import type { Refusal } from '../protocol/problem.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { cardOf } from './card.ts'
import type { Deps } from './deps.ts'
import { blobKeys } from './store/blobs.ts'
import { type EpochRow, findEpoch } from './store/epochs.ts'
import { findReport, listReports, type ReportRow } from './store/reports.ts'

/** The compact JWS of a report, once its epoch releases it. Before that no report can be told from none. */
export async function readReportJws(deps: Deps, id: string): Promise<Result<string, Refusal>> {
  const row = await findReport(deps.db, id)
  const epoch = row && (await findEpoch(deps.db, row.epoch))
  if (row === undefined || epoch === undefined || !mayLeave(deps, epoch)) {
    return err({ slug: 'not-found' })
  }
  const blob = await deps.blobs.get(blobKeys.report(row.sha256))
  if (blob === null) throw new Error('a stored report is gone')
  return ok(await blob.text())
}

/** The signed payload of a compact JWS, byte for byte. */
export const payloadOf = (jws: string): Uint8Array<ArrayBuffer> =>
  fromBase64url(jws.split('.')[1] ?? '') ?? new Uint8Array(0)

/** The released reports of an epoch; a room's are its buyer's and its vendors', and are not listed. */
export async function listReleased(deps: Deps, epochId: string): Promise<ReportRow[]> {
  const epoch = await findEpoch(deps.db, epochId)
  if (epoch === undefined || epoch.kind === 'room' || !mayLeave(deps, epoch)) return []
  return listReports(deps.db, epochId, MOST_LISTED)
}

const MOST_LISTED = 500

const mayLeave = (deps: Deps, epoch: EpochRow): boolean =>
  isReleased(cardOf(epoch), Math.floor(deps.now() / 1000))
