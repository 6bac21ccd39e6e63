import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root, stateFolder } from './root.ts'

/** A fault of the local set-up, told as what, why and what to do next. */
export class SetupError extends Error {
  readonly why: string
  readonly next: string
  constructor(what: string, why: string, next: string) {
    super(what)
    this.why = why
    this.next = next
  }
}

export type Service = {
  name: string
  child: ChildProcess
  log: string
  stop: () => Promise<void>
}

const running = new Set<Service>()

/** Starts a long-running process of this project; its output goes to `.failmap/logs/<name>.log`. */
export function startService(
  name: string,
  command: string,
  args: string[],
  env: Record<string, string>,
): Service {
  const log = path.join(stateFolder, 'logs', `${name}.log`)
  mkdirSync(path.dirname(log), { recursive: true })
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // An own process group: Ctrl-C reaches this script first, which then stops services in order.
    detached: true,
  })
  const file = createWriteStream(log)
  child.stdout.pipe(file, { end: false })
  child.stderr.pipe(file, { end: false })
  const service: Service = {
    name,
    child,
    log,
    stop: async () => {
      running.delete(service)
      // wrangler forks the real server and forwards SIGTERM to it; SIGKILL would leave an orphan.
      for (let waited = 0; child.exitCode === null && child.signalCode === null; waited += 1) {
        if (waited % 50 === 0) child.kill('SIGTERM')
        if (waited === 150) child.kill('SIGKILL')
        await sleep(100)
      }
      file.end()
    },
  }
  running.add(service)
  return service
}

/** Stops everything that this script started, the last one first. */
export async function stopServices(): Promise<void> {
  for (const service of [...running].reverse()) await service.stop()
}

/** Waits until `probe` answers something; fails as soon as the process has died. */
export async function ready<T>(
  service: Service,
  probe: () => Promise<T | null>,
  seconds: number,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000
  while (performance.now() < deadline) {
    const answer = await probe().catch(() => null)
    if (answer !== null) return answer
    if (service.child.exitCode !== null || service.child.signalCode !== null) break
    await sleep(100)
  }
  const tail = readFileSync(service.log, 'utf8').trim().split('\n').slice(-12).join('\n    ')
  throw new SetupError(
    `the ${service.name} did not start`,
    `its last words were:\n    ${tail || '(none)'}`,
    `read ${path.relative(process.cwd(), service.log)}, mend the cause and run the same command again`,
  )
}
