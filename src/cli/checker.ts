import { z } from 'zod'
import type { Prompt } from '../protocol/prompt.ts'
import { CheckLane, type LaneOptions } from './checker-lane.ts'

export type CheckRequest = {
  module: string
  entryPoint: string
  visible: Prompt['visible']
}

export const checkOutcomeSchema = z.object({
  status: z.enum(['passed', 'failed', 'invalid', 'crashed', 'timed_out']),
  passed: z.int().min(0),
  total: z.int().min(1),
  failures: z.array(z.object({ assert: z.string(), outcome: z.string() })),
})
export type CheckOutcome = z.infer<typeof checkOutcomeSchema>

/** Runs the visible checks of a prompt against a module, on this machine. */
export type Checker = {
  /** What the jail of this machine confines, as the sandbox states it. */
  readonly isolation: unknown
  /** Rejects with CheckerFault when the sandbox, not the module, is at fault. */
  check(request: CheckRequest): Promise<CheckOutcome>
  /** Ends the processes; checks that are still open are rejected. */
  close(): Promise<void>
}

export type CheckerOptions = LaneOptions & {
  /** Processes side by side; each runs one module at a time. */
  lanes: number
}

/**
 * Starts `python3 -m sandbox check` as long-lived processes.
 * @throws Failure when the sandbox does not start; its own words are the reason.
 */
export async function openChecker(options: CheckerOptions): Promise<Checker> {
  const queue: Job[] = []
  const rejectWaiting = (why: string) => {
    for (const job of queue.splice(0)) job.reject(new CheckerFault(why))
  }
  const rejectIfAllDead = () => {
    const failures = lanes.flatMap((lane) => lane.failure ?? [])
    if (failures.length === lanes.length) rejectWaiting(failures.join('; '))
  }
  const lanes: CheckLane[] = Array.from(
    { length: options.lanes },
    () => new CheckLane(options, queue, rejectIfAllDead),
  )
  try {
    await Promise.all(lanes.map((lane) => lane.start()))
  } catch (error) {
    await Promise.all(lanes.map((lane) => lane.close()))
    throw error
  }
  return {
    isolation: lanes[0]?.isolation,
    check: (request) =>
      new Promise((resolve, reject) => {
        queue.push({ request, resolve, reject, deaths: 0 })
        rejectIfAllDead()
        for (const lane of lanes) lane.pump()
      }),
    close: async () => {
      rejectWaiting('the checker was closed')
      await Promise.all(lanes.map((lane) => lane.close()))
    },
  }
}

/** One check that waits or runs. */
export type Job = {
  request: CheckRequest
  resolve: (outcome: CheckOutcome) => void
  reject: (error: Error) => void
  /** How often a process died while this check was the one it ran. */
  deaths: number
}

/** A fault of the sandbox on this machine; it says nothing about the module. */
export class CheckerFault extends Error {
  override readonly name = 'CheckerFault'
}
