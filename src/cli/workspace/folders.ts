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

const RUN_ID = /^run-\d{8}-\d{6}-[0-9a-f]{6}$/
export const isRunId = (text: string): boolean => RUN_ID.test(text)

/**
 * `run-<date>-<time>-<random>`: sorts by age, says when, and cannot clash.
 *
 * At least a second later than every existing one: a clock that was set back, or a second run in
 * the same second, must not make an older run the newest.
 */
export function newRunId(
  nowMs: number,
  random: Uint8Array,
  existing: readonly string[] = [],
): string {
  const newestMs = Math.max(0, ...existing.filter(isRunId).map(secondOf))
  const [date = '', time = ''] = new Date(Math.max(nowMs, newestMs + 1000)).toISOString().split('T')
  const day = date.replaceAll('-', '')
  const clock = time.slice(0, 8).replaceAll(':', '')
  return `run-${day}-${clock}-${Buffer.from(random.subarray(0, 3)).toString('hex')}`
}

/** Milliseconds at the beginning of the second that a run's id names; 0 where it names none. */
function secondOf(runId: string): number {
  const instant = runId.replace(
    /^run-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-.*/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  const ms = Date.parse(instant)
  return Number.isNaN(ms) ? 0 : ms
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
