import type { Deps } from './deps.ts'
import { touch } from './store/submissions.ts'

/** Seconds before a shard is offered again to a sandbox that was not there. */
export const AWAY_SECONDS = 15
/** How often a waiting submission gives a sign of life, well below the patience of the sweep. */
const TOUCH_EVERY_MILLISECONDS = 60_000
const MOST_REMEMBERED = 10_000

type Memory = { awayUntil: number; touchedAt: Map<string, number> }
const memories = new WeakMap<Deps, Memory>()

function memoryOf(deps: Deps): Memory {
  const known = memories.get(deps)
  if (known !== undefined) return known
  const memory = { awayUntil: 0, touchedAt: new Map<string, number>() }
  memories.set(deps, memory)
  return memory
}

/** True while this isolate need not look for a sandbox: one message found none, hundreds wait. */
export const isAway = (deps: Deps): boolean => deps.now() < memoryOf(deps).awayUntil

/** Notes that there is no sandbox at the moment. */
export function noteAway(deps: Deps): void {
  memoryOf(deps).awayUntil = deps.now() + (AWAY_SECONDS - 1) * 1000
}

/** Keeps the sweep from taking a waiting submission for a lost one, without a write per message. */
export async function signOfLife(deps: Deps, submission: string): Promise<void> {
  const { touchedAt } = memoryOf(deps)
  const now = deps.now()
  if (now - (touchedAt.get(submission) ?? 0) < TOUCH_EVERY_MILLISECONDS) return
  if (touchedAt.size >= MOST_REMEMBERED) touchedAt.clear()
  touchedAt.set(submission, now)
  await touch(deps.db, submission, now)
}
