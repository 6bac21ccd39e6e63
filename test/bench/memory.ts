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

/** Kernel ticks in a second, the same on every Linux that Node runs on. */
const TICKS = 100

/** Processor time that a process has used, its own and the kernel's for it. Linux only. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

type Process = { pid: number; name: string }

/** All processes below `ancestor`, at this moment. Linux only. */
export function descendants(ancestor: number): Process[] {
  const parents = new Map<number, number>()
  const found: Process[] = []
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) continue
    try {
      const text = status(pid)
      parents.set(pid, Number(field(text, 'PPid')))
      found.push({ pid, name: field(text, 'Name') ?? '' })
    } catch {
      // It ended between the listing and the look.
    }
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0
    return parent === ancestor || (parent > 1 && isBelow(parent))
  }
  return found.filter(({ pid }) => isBelow(pid))
}

/** The process of a name below `ancestor`; throws when there is none. */
export function startedBy(ancestor: number, name: string): number {
  const found = descendants(ancestor).find((process) => process.name === name)
  if (found === undefined) throw new Error(`no process ${name} below ${ancestor}`)
  return found.pid
}

/** kill -9 of a process and of everything below it, as a power cut would do it. */
export function crashTree(ancestor: number): void {
  // wrangler restarts a workerd that dies, so the oldest goes first.
  const below = descendants(ancestor).map(({ pid }) => pid)
  for (const pid of [ancestor, ...below]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }
}
