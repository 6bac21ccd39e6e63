import type { Health } from '../protocol/health.ts'
import type { SandboxHealth } from '../protocol/tally.ts'
import { PROTOCOL_VERSION } from '../protocol/tally.ts'
import type { Deps } from './deps.ts'
import { API_VERSION } from './version.ts'

/** A sandbox is asked at most this often: /health is open to strangers. */
const ASKED_EVERY_MILLISECONDS = 5_000

type Known = { at: number; health: SandboxHealth | null; ok: boolean }
const lastAnswers = new WeakMap<Deps, Known>()

/** The state of the service. `degraded`: submissions are taken, but nothing is judged at the moment. */
export async function readHealth(deps: Deps): Promise<Health> {
  const now = deps.now()
  const { health, ok } = await sandboxHealth(deps, now)
  return {
    status: ok ? 'ok' : 'degraded',
    api: API_VERSION,
    protocol: PROTOCOL_VERSION,
    environment: deps.settings.environment,
    time: Math.floor(now / 1000),
    sandbox: health && {
      corpus: health.corpus,
      runtime: health.runtime,
      isolation: health.isolation,
    },
  }
}

async function sandboxHealth(deps: Deps, now: number): Promise<Known> {
  const last = lastAnswers.get(deps)
  if (last !== undefined && now - last.at < ASKED_EVERY_MILLISECONDS) return last
  const answer = await deps.sandbox.health()
  const known = { at: now, health: answer.ok ? answer.value : null, ok: answer.ok }
  lastAnswers.set(deps, known)
  return known
}
