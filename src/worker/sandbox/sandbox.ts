import type { Result } from '../../protocol/result.ts'
import type { ShardRequest } from '../../protocol/shard.ts'
import type { SandboxHealth, Tally } from '../../protocol/tally.ts'

/**
 * Why a shard has no tally. None of these says anything about a patch, and none becomes a score.
 * `busy`: all lanes of the sandbox are taken; `away`: there is none. Then the shard waits, and no
 * attempt is counted.
 */
export type FaultKind =
  | 'busy'
  | 'away'
  | 'sandbox_failed'
  | 'controls_failed'
  | 'versions_differ'
  | 'isolation_missing'
export type SandboxFault = { kind: FaultKind; why: string }

/** Where shards are judged. Both calls answer with values; a thrown error is a bug. */
export type Sandbox = {
  /** What the sandbox is and how it confines patches; null while it sleeps. */
  health(): Promise<Result<SandboxHealth | null, SandboxFault>>
  /** Judges one shard. The tally has the right shape; whether it fits the request is the stage's check. */
  judge(request: ShardRequest): Promise<Result<Tally, SandboxFault>>
}
