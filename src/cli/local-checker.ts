import { type Checker, openChecker } from './checker.ts'
import type { Context } from './context.ts'
import { sandboxFolder } from './sandbox-folder.ts'

/** Enough that a process never waits for its next module. */
const IN_FLIGHT = 4
/** A module is stopped by the jail after seconds; a process that is silent for longer is broken. */
const SILENCE_MS = 60_000

export type CheckerWish = {
  lanes: number
  isolation: 'auto' | 'unsafe'
}

/** The sandbox's runner for visible checks, on this machine. */
export function openLocalChecker(context: Context, wish: CheckerWish): Promise<Checker> {
  const { env } = context.config
  const python = env.FAILMAP_PYTHON ?? 'python3'
  return openChecker({
    lanes: wish.lanes,
    command: [python, '-m', 'sandbox', 'check', '--isolation', wish.isolation],
    cwd: sandboxFolder(),
    env,
    inFlight: IN_FLIGHT,
    silenceMs: SILENCE_MS,
  })
}
