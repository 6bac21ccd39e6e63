import { toInstant } from '../protocol/instant.ts'
import { LIMITS } from '../protocol/limits.ts'
import { EXIT } from './exit.ts'
import { Failure } from './failure.ts'

/** Seconds by which this clock is ahead of the server's; the `Date` header has whole seconds. */
export function clockSkewSeconds(serverMs: number, ownMs: number): number {
  const skew = (ownMs - serverMs) / 1000
  return Math.abs(skew) < 1 ? 0 : Math.trunc(skew)
}

/** Throws when a signature made by this clock would be refused. */
export function checkClock(serverMs: number, ownMs: number): void {
  const skew = clockSkewSeconds(serverMs, ownMs)
  if (Number.isNaN(skew) || Math.abs(skew) <= LIMITS.clockToleranceSeconds) return
  throw new Failure(EXIT.key, 'the clock of this machine is wrong', {
    why: `here it is ${toText(ownMs)}, at the API ${toText(serverMs)}: ${Math.abs(skew)} s ${skew > 0 ? 'ahead' : 'behind'}`,
    next: 'set the clock (Linux: sudo timedatectl set-ntp true; WSL: sudo hwclock -s), then repeat the command',
  })
}

/** Moments, in milliseconds, as instants; those of one second share the making of the text. */
export function createInstants(): (ms: number) => string {
  let second = Number.NaN
  let instant = ''
  return (ms) => {
    const at = Math.floor(ms / 1000)
    if (at !== second) instant = toInstant(at)
    second = at
    return instant
  }
}

function toText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')
}
