import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { EXIT } from '../exit.ts'
import { Failure, messageOf } from '../failure.ts'

/**
 * Where things lie in a workspace.
 *
 * No name that a user, a server or a data set chose becomes part of a path: epochs lie under a
 * digest of their id, runs under an id of our own making, which any file system accepts.
 */
export const epochFolder = (workspace: string, epoch: string): string =>
  path.join(workspace, 'epochs', createHash('sha256').update(epoch).digest('hex').slice(0, 12))

export const runsFolder = (workspace: string): string => path.join(workspace, 'runs')
export const runFolder = (workspace: string, run: string): string =>
  path.join(runsFolder(workspace), run)
export const reportsFolder = (workspace: string): string => path.join(workspace, 'reports')

const RUN_ID = /^run-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[0-9a-f]{6}$/
const SECOND_MS = 1000
/** The last second that four digits of a year can tell. */
const LAST_SECOND = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Whether a run can have this id: one of no real instant would stay the newest for ever. */
export const isRunId = (text: string): boolean => secondOf(text) !== null

/**
 * `run-<date>-<time>-<random>`: sorts by age, says when, and cannot clash.
 *
 * At least a second later than every existing one, as long as there is one: a clock that was set
 * back, or a second run in the same second, must not make an older run the newest.
 */
export function newRunId(
  nowMs: number,
  random: Uint8Array,
  existing: readonly string[] = [],
): string {
  let at = Math.max(0, Math.min(nowMs, LAST_SECOND))
  for (const id of existing) {
    const next = (secondOf(id) ?? 0) + SECOND_MS
    if (next > at && next <= LAST_SECOND) at = next
  }
  const [date = '', time = ''] = new Date(at).toISOString().split('T')
  const day = date.replaceAll('-', '')
  const clock = time.slice(0, 8).replaceAll(':', '')
  return `run-${day}-${clock}-${Buffer.from(random.subarray(0, 3)).toString('hex')}`
}

/** Milliseconds at the beginning of the second that a run's id names; null where it names none. */
function secondOf(runId: string): number | null {
  if (!RUN_ID.test(runId)) return null
  const instant = runId.replace(RUN_ID, '$1-$2-$3T$4:$5:$6')
  const ms = Date.parse(`${instant}Z`)
  // 30 February and 24:00 are taken for the day after.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(instant)) return null
  return ms
}

/** Makes a folder, or says in words why that cannot be. */
export function makeFolder(folder: string): string {
  try {
    mkdirSync(folder, { recursive: true })
    return folder
  } catch (error) {
    throw new Failure(EXIT.usage, `cannot write to ${folder}`, {
      why: messageOf(error),
      next: 'give --workspace FOLDER that can be written',
      cause: error,
    })
  }
}
