import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { codeOf } from '../failure.ts'

const holderSchema = z.strictObject({
  pid: z.number().int(),
  /** Start of the process in clock ticks since boot: tells it from a later one of the same pid. */
  started: z.string().nullable(),
  /** Machine and pid namespace: elsewhere a pid means nothing. */
  place: z.string(),
  nonce: z.string(),
  released: z.boolean(),
})
type Holder = z.infer<typeof holderSchema>

const LOCK_NAME = /^lock-(\d+)$/
const BEAT_MS = 5_000
/** A holder on another machine is given up after this long without a beat. */
const SILENCE_MS = 30_000

export type Lock = { release(): void }
export type LockOutcome =
  | { ok: true; value: Lock }
  | { ok: false; error: { pid: number; place: string } }

/**
 * Takes the folder for this process, or says who has it.
 *
 * The lock is a file `lock-N` that names its holder; kill -9 leaves it behind, and the next process
 * sees that the holder is dead and takes N+1. Creating a name is atomic, the highest number rules,
 * and a lower one is removed only when a higher exists, so two can never both believe they hold it.
 */
export function takeLock(folder: string, nonce: string, now: () => number): LockOutcome {
  for (;;) {
    const top = highest(folder)
    if (top > 0) {
      const holder = readHolder(path.join(folder, `lock-${top}`))
      if (holder !== null && isHeld(holder, path.join(folder, `lock-${top}`), now())) {
        return { ok: false, error: { pid: holder.pid, place: holder.place } }
      }
    }
    const mine = path.join(folder, `lock-${top + 1}`)
    const holder: Holder = {
      pid: process.pid,
      started: startOf(process.pid),
      place: place(),
      nonce,
      released: false,
    }
    if (!create(mine, holder, nonce)) continue
    if (highest(folder) !== top + 1) {
      rmSync(mine, { force: true })
      continue
    }
    removeBelow(folder, top + 1)
    return { ok: true, value: hold(mine, holder, now) }
  }
}

function hold(file: string, holder: Holder, now: () => number): Lock {
  const beat = setInterval(() => {
    const seconds = now() / 1000
    try {
      utimesSync(file, seconds, seconds)
    } catch {
      clearInterval(beat)
    }
  }, BEAT_MS)
  beat.unref()
  return {
    release() {
      clearInterval(beat)
      try {
        writeFileSync(file, JSON.stringify({ ...holder, released: true }))
      } catch {
        return
      }
    },
  }
}

/** A link appears whole or not at all: nobody reads a half-written holder. */
function create(file: string, holder: Holder, nonce: string): boolean {
  const draft = `${file}.${nonce}`
  try {
    writeFileSync(draft, JSON.stringify(holder))
    linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function highest(folder: string): number {
  const numbers = readdirSync(folder).map((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0))
  return Math.max(0, ...numbers)
}

function removeBelow(folder: string, number: number): void {
  for (const name of readdirSync(folder)) {
    const found = LOCK_NAME.exec(name)?.[1]
    if (found !== undefined && Number(found) < number)
      rmSync(path.join(folder, name), { force: true })
  }
}

function readHolder(file: string): Holder | null {
  try {
    return holderSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

function isHeld(holder: Holder, file: string, now: number): boolean {
  if (holder.released) return false
  if (holder.place === place()) return isAlive(holder.pid, holder.started)
  return existsSync(file) && now - statSync(file).mtimeMs < SILENCE_MS
}

function isAlive(pid: number, started: string | null): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false
  }
  return started === null || startOf(pid) === started
}

/** Null where there is no /proc; a dead process that nobody has reaped counts as gone. */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? 'dead' : (fields[19] ?? null)
  } catch {
    return null
  }
}

function place(): string {
  try {
    return `${os.hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return os.hostname()
  }
}
