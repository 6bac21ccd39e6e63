import { toInstant } from './instant.ts'
import { LIMITS } from './limits.ts'
import type { ProblemSlug, Refusal } from './problem.ts'
import { err, ok, type Result } from './result.ts'

/** `iat` and `exp` in seconds since 1970. */
export type Lifetime = { iat: number; exp: number }

/** When a key became known and when it stopped counting; seconds since 1970. */
export type KeyLife = { registeredAt: number; revokedAt: number | null }

/**
 * Checks a lifetime against the server's clock. A refusal says that it is about time and gives
 * both times, because a laptop that slept is the usual cause and its owner cannot guess it. `slug`
 * is the refusal of a lifetime that is impossible at any time.
 */
export function checkLifetime(
  { iat, exp }: Lifetime,
  nowSeconds: number,
  longestSeconds: number,
  slug: ProblemSlug,
): Result<true, Refusal> {
  const tolerance = LIMITS.clockToleranceSeconds
  if (exp <= iat || exp - iat > longestSeconds) {
    return err({
      slug,
      detail: `exp must be after iat, by at most ${longestSeconds} seconds`,
    })
  }
  if (iat > nowSeconds + tolerance) return refuseClock('is signed in the future', iat, nowSeconds)
  if (exp < nowSeconds - tolerance) return refuseClock('has expired', exp, nowSeconds)
  return ok(true)
}

/** Whether a key may sign at `iat` and be accepted now; a revoked key signs nothing any more. */
export function checkKeyLife(life: KeyLife, iat: number): Result<true, Refusal> {
  if (life.revokedAt !== null) {
    return err({ slug: 'key-revoked', detail: `revoked at ${toInstant(life.revokedAt)}` })
  }
  return iat < life.registeredAt - LIMITS.clockToleranceSeconds
    ? err({ slug: 'token-invalid', detail: 'signed before the key was registered' })
    : ok(true)
}

/** Last second at which a token could be accepted: until then its jti is remembered. */
export const replayUntil = ({ exp }: Lifetime): number => exp + LIMITS.clockToleranceSeconds

const refuseClock = (what: string, stated: number, now: number) =>
  err<Refusal>({
    slug: 'clock-skew',
    detail: `The token ${what}: it says ${toInstant(stated)}, the server's clock says ${toInstant(now)}.`,
  })
