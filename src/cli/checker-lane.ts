import { z } from 'zod'
import { CheckerFault, type CheckOutcome, checkOutcomeSchema, type Job } from './checker.ts'
import { CheckProcess, type ProcessOptions, startFailure } from './checker-process.ts'
import { messageOf } from './failure.ts'

export type LaneOptions = ProcessOptions & {
  /** Checks that are handed to a process before it has answered; 4 keep it busy. */
  inFlight?: number
  /** Milliseconds of silence after which a process with open checks is killed. */
  silenceMs?: number
}

const IN_FLIGHT = 4
/** A check ends within 5 seconds, an isolation test at start within a few more. */
const SILENCE_MS = 60_000

const readySchema = z.object({ ready: z.literal(true), isolation: z.unknown() })
const answerSchema = z.object({ id: z.int() })
const errorSchema = z.object({ error: z.string() })

/** A check is blamed for the death of its process once; twice, it is given up. */
const MAX_DEATHS = 2
/** Starts in a row that may fail before the lane is given up. */
const MAX_FAILED_STARTS = 3

/**
 * One process and the checks that it holds. It answers in order, so when it dies the oldest open
 * check is the one that it ran: that one is tried once more, the others go back to the queue.
 */
export class CheckLane {
  readonly #options: LaneOptions
  readonly #queue: Job[]
  readonly #onDead: () => void
  readonly #open = new Map<number, Job>()
  readonly #silenceMs: number
  #process: CheckProcess | null = null
  #starting: CheckProcess | null = null
  #isFull = false
  #isClosed = false
  #nextId = 1
  #silence: NodeJS.Timeout | undefined
  /** Why this lane takes no more checks; null while it does. */
  failure: string | null = null
  isolation: unknown

  constructor(options: LaneOptions, queue: Job[], onDead: () => void) {
    this.#options = options
    this.#queue = queue
    this.#onDead = onDead
    this.#silenceMs = options.silenceMs ?? SILENCE_MS
  }

  /** Resolves with the ready line; rejects with the last words of a process that ends before. */
  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      let isReady = false
      const process = new CheckProcess(this.#options, {
        onLine: (line) => {
          if (isReady) return this.#receive(line)
          const ready = readySchema.safeParse(parseLine(line))
          if (!ready.success) return process.kill()
          isReady = true
          clearTimeout(limit)
          this.#enter(process, ready.data.isolation)
          resolve()
        },
        onEnd: (why) => {
          clearTimeout(limit)
          this.#starting = null
          if (isReady) this.#recover(why)
          else reject(startFailure(why))
        },
        onDrain: () => {
          this.#isFull = false
          this.pump()
        },
      })
      this.#starting = process
      const limit = setTimeout(() => process.kill(), this.#silenceMs)
    })
  }

  /** Hands out checks while the process has room for them, and starts it if there is none. */
  pump(): void {
    if (this.#queue.length > 0 && !this.#process && !this.#starting) this.#restart(1)
    const process = this.#process
    while (process && !this.#isFull && this.#open.size < (this.#options.inFlight ?? IN_FLIGHT)) {
      const job = this.#queue.shift()
      if (!job) break
      const { module, entryPoint, visible } = job.request
      const id = this.#nextId++
      this.#open.set(id, job)
      this.#isFull = !process.send(JSON.stringify({ id, module, entry_point: entryPoint, visible }))
    }
    this.#watch()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#silence)
    for (const job of this.#open.values()) job.reject(new CheckerFault('the checker was closed'))
    this.#open.clear()
    await (this.#process ?? this.#starting)?.stop()
  }

  #enter(process: CheckProcess, isolation: unknown): void {
    this.#starting = null
    this.#process = process
    this.#isFull = false
    this.isolation = isolation
    this.pump()
  }

  #receive(line: string): void {
    const message = parseLine(line)
    const answer = answerSchema.safeParse(message)
    const job = answer.success ? this.#open.get(answer.data.id) : undefined
    // An answer to nothing means that the two sides no longer agree on what is open.
    if (!answer.success || !job) {
      this.#process?.kill()
      return
    }
    this.#open.delete(answer.data.id)
    const outcome = readOutcome(message)
    if (outcome instanceof Error) job.reject(outcome)
    else job.resolve(outcome)
    this.pump()
  }

  #recover(why: string): void {
    this.#process = null
    clearTimeout(this.#silence)
    const [blamed, ...others] = this.#open.values()
    this.#open.clear()
    this.#queue.unshift(...others)
    if (blamed && ++blamed.deaths < MAX_DEATHS) this.#queue.unshift(blamed)
    else blamed?.reject(new CheckerFault(`the sandbox ended twice on this module: ${why}`))
    this.pump()
  }

  #restart(attempt: number): void {
    if (this.#isClosed || this.failure !== null) return
    this.start().catch((error: unknown) => {
      if (attempt < MAX_FAILED_STARTS) return this.#restart(attempt + 1)
      this.failure = messageOf(error)
      this.#onDead()
    })
  }

  #watch(): void {
    clearTimeout(this.#silence)
    if (this.#open.size === 0) return
    this.#silence = setTimeout(() => this.#process?.kill(), this.#silenceMs)
  }
}

function readOutcome(message: unknown): CheckOutcome | CheckerFault {
  const outcome = checkOutcomeSchema.safeParse(message)
  if (outcome.success) return outcome.data
  const refused = errorSchema.safeParse(message)
  return new CheckerFault(
    refused.success
      ? `the sandbox refused the check: ${refused.data.error}`
      : 'an answer of no known shape',
  )
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
