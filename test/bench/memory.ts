import { readdirSync, readFileSync } from 'node:fs'

const status = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8')
const field = (text: string, name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(text)?.[1]

/** Largest resident memory that a process has had, in bytes; 0 once it is gone. Linux only. */
export function peakMemory(pid: number): number {
  try {
    return Number(field(status(pid), 'VmHWM') ?? 0) * 1024
  } catch {
    return 0
  }
}

/** The process of a name below `ancestor`; throws when there is none. */
export function startedBy(ancestor: number, name: string): number {
  const parents = new Map<number, number>()
  const names = new Map<number, string>()
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) continue
    try {
      const text = status(pid)
      parents.set(pid, Number(field(text, 'PPid')))
      names.set(pid, field(text, 'Name') ?? '')
    } catch {
      // It ended between the listing and the look.
    }
  }
  for (const [pid, found] of names) {
    if (found !== name) continue
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === ancestor) return pid
  }
  throw new Error(`no process ${name} below ${ancestor}`)
}
