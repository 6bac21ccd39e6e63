import type { EpochCard } from '../../protocol/epoch.ts'
import { fitTally } from '../../protocol/fit-tally.ts'
import type { Part } from '../../protocol/part.ts'
import type { Isolation, Tally } from '../../protocol/tally.ts'
import type { SandboxFault } from './sandbox.ts'

/** The attacks that a sandbox of this release tries on itself before it serves. */
const SELF_TESTS = 12

/** What was asked of the sandbox, and how many tasks of each part were sent without a module. */
export type Asked = {
  card: EpochCard
  submission: string
  category: string
  unanswered: Record<Part, number>
}

/**
 * Why a tally cannot be the answer to what was asked, if it cannot: beyond what the protocol checks,
 * the sandbox must confine its patches and must have found the answers that were sent, no more.
 */
export function tallyFault(
  tally: Tally,
  asked: Asked,
  allowUnsafe: boolean,
): SandboxFault | undefined {
  if (!isConfined(tally.isolation, allowUnsafe)) {
    return { kind: 'isolation_missing', why: tally.isolation.profile }
  }
  const fitted = fitTally(tally, asked)
  if (!fitted.ok) return { kind: fitted.error.reason, why: fitted.error.why }
  for (const part of ['practice', 'sealed'] as const) {
    if (tally.parts[part].no_answer !== asked.unanswered[part]) {
      return { kind: 'controls_failed', why: `${part} answers miscounted` }
    }
  }
  return undefined
}

/** Whether the profile is one of ours with all that it consists of, and held against its own attacks. */
function isConfined(isolation: Isolation, allowUnsafe: boolean): boolean {
  const { profile, landlock_abi, user_namespace, seccomp, self_tests } = isolation
  if (profile === 'unsafe') return allowUnsafe
  // `S` has Landlock where the kernel has it; without namespaces it is what confines the files.
  const walls = profile === 'S' ? user_namespace : (landlock_abi ?? 0) > 0
  return (
    walls && seccomp !== null && self_tests.run >= SELF_TESTS && self_tests.run === self_tests.held
  )
}
