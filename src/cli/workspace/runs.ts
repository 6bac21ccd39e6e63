import { closeSync, existsSync, openSync, readdirSync, readSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { toInstant } from '../../protocol/instant.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { isRunId, makeFolder, newRunId, runFolder, runsFolder } from './folders.ts'
import { JOURNAL_FILE, Journal, settingsDigest } from './journal.ts'
import { type Header, headerSchema, type Settings } from './journal-lines.ts'
import { type Lock, takeLock } from './lock.ts'

export type RunEntry = { id: string; folder: string; header: Header }

/** The runs of a workspace, oldest first; folders without a whole first line are left out. */
export function listRuns(workspace: string): RunEntry[] {
  return runIds(workspace).flatMap((id) => {
    const folder = runFolder(workspace, id)
    const header = readHeader(path.join(folder, JOURNAL_FILE))
    return header === null ? [] : [{ id, folder, header }]
  })
}

/** Every name of a run, oldest first. */
function runIds(workspace: string): string[] {
  const folder = runsFolder(workspace)
  return existsSync(folder) ? readdirSync(folder).filter(isRunId).sort() : []
}

/** Runs whose journal begins with a whole line that states no settings: damaged, not just begun. */
export function unreadableRuns(workspace: string): string[] {
  return runIds(workspace).filter((id) => {
    const line = readFirstLine(path.join(runFolder(workspace, id), JOURNAL_FILE))
    return line !== null && toHeader(line) === null
  })
}

const LONGEST_HEADER = 64 * 1024

function readHeader(file: string): Header | null {
  const line = readFirstLine(file)
  return line === null ? null : toHeader(line)
}

function toHeader(line: string): Header | null {
  try {
    return headerSchema.safeParse(JSON.parse(line)).data ?? null
  } catch {
    return null
  }
}

/** Null where the file is not there or its first line has not ended. */
function readFirstLine(file: string): string | null {
  if (!existsSync(file)) return null
  const descriptor = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(LONGEST_HEADER)
    const got = readSync(descriptor, buffer, 0, LONGEST_HEADER, 0)
    const end = buffer.subarray(0, got).indexOf('\n')
    return end === -1 ? null : buffer.toString('utf8', 0, end)
  } catch {
    return null
  } finally {
    closeSync(descriptor)
  }
}

/** The run with this id, or the newest one. */
export function requireRun(workspace: string, id: string | undefined): RunEntry {
  const runs = listRuns(workspace)
  const found = id === undefined ? runs.at(-1) : runs.find((run) => run.id === id)
  if (found !== undefined) return found
  throw new Failure(
    EXIT.usage,
    id === undefined ? 'there is no run yet' : `there is no run ${id}`,
    {
      why: `looked in ${runsFolder(workspace)}`,
      next: id === undefined ? 'failmap run --model …' : 'failmap runs   (lists them)',
    },
  )
}

export type RunWish = {
  workspace: string
  epoch: Header['epoch']
  settings: Settings
  /** A certain run, or undefined for the newest with the same settings. */
  run: string | undefined
  /** False: begin a new run even if one with the same settings exists. */
  resume: boolean
  nowMs: number
  randomBytes: (count: number) => Uint8Array
  now: () => number
}

export type OpenRun = { id: string; folder: string; journal: Journal; lock: Lock; isNew: boolean }

/** Opens the run that these settings belong to, or begins one, and locks it for this process. */
export async function openRun(wish: RunWish): Promise<OpenRun> {
  const digest = await settingsDigest(wish.settings)
  const existing = chooseExisting(wish, digest)
  if (existing !== undefined) {
    const lock = lockRun(existing.folder, wish)
    const journal = Journal.open(existing.folder)
    if (journal !== null) return { ...existing, journal, lock, isNew: false }
    lock.release()
  }
  const id = newRunId(wish.nowMs, wish.randomBytes(3), runIds(wish.workspace))
  const folder = makeFolder(runFolder(wish.workspace, id))
  let lock: Lock | null = null
  try {
    lock = lockRun(folder, wish)
    const journal = Journal.create(folder, {
      journal: 1,
      run: id,
      created_at: toInstant(wish.nowMs / 1000),
      epoch: wish.epoch,
      settings: wish.settings,
      settings_sha256: digest,
    })
    return { id, folder, journal, lock, isNew: true }
  } catch (error) {
    removeUnbegun(folder, lock)
    throw error
  }
}

/** Nothing is left of a run that could not begin; a folder that is not ours goes only if empty. */
function removeUnbegun(folder: string, lock: Lock | null): void {
  lock?.release()
  try {
    if (lock === null) rmdirSync(folder)
    else rmSync(folder, { recursive: true, force: true })
  } catch {
    // What kept the run from beginning says more.
  }
}

/** Locks and opens a run that is there, for commands that only read its answers. */
export function lockExisting(
  { id, folder }: RunEntry,
  clock: Pick<RunWish, 'now' | 'randomBytes'>,
): OpenRun {
  const lock = lockRun(folder, clock)
  const journal = Journal.open(folder)
  if (journal !== null) return { id, folder, journal, lock, isNew: false }
  lock.release()
  throw new Failure(EXIT.usage, `the run ${id} has no answers`, { next: 'failmap run --model …' })
}

function chooseExisting(wish: RunWish, digest: string): { id: string; folder: string } | undefined {
  if (wish.run === undefined) {
    if (!wish.resume) return undefined
    return listRuns(wish.workspace)
      .filter(
        ({ header }) =>
          header.settings_sha256 === digest &&
          header.epoch.id === wish.epoch.id &&
          header.epoch.prompts === wish.epoch.prompts,
      )
      .at(-1)
  }
  const run = requireRun(wish.workspace, wish.run)
  if (run.header.settings_sha256 !== digest || run.header.epoch.prompts !== wish.epoch.prompts) {
    throw new Failure(EXIT.usage, `the run ${run.id} has other settings`, {
      why: differences(run.header, wish),
      next: 'repeat its settings, or leave out --run to begin a new run',
    })
  }
  return run
}

function differences(header: Header, wish: RunWish): string {
  const changed = Object.entries(wish.settings).flatMap(([name, value]) => {
    const before = Object.entries(header.settings).find(([key]) => key === name)?.[1]
    return before === value ? [] : [`${name}: ${before} there, ${value} now`]
  })
  if (header.epoch.prompts !== wish.epoch.prompts) changed.push('other prompts')
  return changed.join('; ')
}

function lockRun(folder: string, { randomBytes, now }: Pick<RunWish, 'now' | 'randomBytes'>): Lock {
  const lock = takeLock(folder, Buffer.from(randomBytes(6)).toString('hex'), now)
  if (lock.ok) return lock.value
  throw new Failure(EXIT.usage, 'another failmap is working on this run', {
    why: `process ${lock.error.pid} on ${lock.error.place} holds ${folder}`,
    next: 'let it finish, or stop it and repeat the command (nothing is lost)',
  })
}
