import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { CallFailure, CallOutcome } from './completion.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

export type WatchOptions = {
  /** One request of one token: a list of models does not prove that one is loaded. */
  probe: () => Promise<CallOutcome>
  /** How long a server may be away before the run ends, with its journal intact. */
  patienceMs: number
  now: () => number
  sleep: (ms: number) => Promise<void>
  /** One line for the person who watches. */
  tell: (line: string) => void
  /** Ends the run as opposed to a call. */
  interrupted: AbortSignal
  resumeCommand: string
}

/**
 * The state of the model server as all slots of a run see it.
 *
 * While the server is in trouble every slot waits at the gate, and no task is booked as failed.
 */
export class ServerWatch {
  readonly #options: WatchOptions
  #waiting: Promise<void> | null = null
  #troubleSince: number | null = null
  #failuresInARow = 0
  #hasAnswered = false

  constructor(options: WatchOptions) {
    this.#options = options
  }

  get failuresInARow(): number {
    return this.#failuresInARow
  }

  get hasAnswered(): boolean {
    return this.#hasAnswered
  }

  /** Whether the gate lets nobody through for now. */
  get isClosed(): boolean {
    return this.#waiting !== null
  }

  /** Resolves when asking makes sense. */
  async gate(): Promise<void> {
    while (this.#waiting !== null) await this.#waiting
  }

  answered(): void {
    this.#failuresInARow = 0
    this.#troubleSince = null
    this.#hasAnswered = true
  }

  failed(): void {
    this.#failuresInARow += 1
  }

  /** Closes the gate until a probe is answered. Throws when patience ends or hope is gone. */
  waitUntilReady(reason: CallFailure): Promise<void> {
    this.#waiting ??= this.#wait(reason).finally(() => {
      this.#waiting = null
    })
    return this.#waiting
  }

  async #wait(reason: CallFailure): Promise<void> {
    const { now, sleep, probe, tell, patienceMs, interrupted } = this.#options
    this.#troubleSince ??= now()
    let failure = reason
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      if (interrupted.aborted) return
      if (isFinal(failure)) throw stopFor(failure)
      const left = this.#troubleSince + patienceMs - now()
      if (left <= 0) throw this.goneFor(failure)
      const pause = Math.min(Math.max(failure.retryAfterMs ?? wait, FIRST_WAIT_MS), left)
      tell(
        `${failure.message}; ${words(failure)}, next try in ${seconds(pause)}, giving up in ${seconds(left)}`,
      )
      await sleep(pause)
      if (interrupted.aborted) return
      const outcome = await probe()
      if (outcome.ok || isRefusal(outcome.error)) {
        tell('the model server answers again')
        this.#failuresInARow = 0
        return
      }
      failure = outcome.error
    }
  }

  /** The end of the run, to be resumed when the server is well. */
  goneFor(failure: CallFailure): Failure {
    const minutes = Math.round(this.#options.patienceMs / 60_000)
    return new Failure(EXIT.modelServer, 'the run is paused: the model server gives no answers', {
      why: `${failure.message} (waited ${minutes} min); answers so far are kept, open tasks stay open`,
      next: `mend or restart the server, then: ${this.#options.resumeCommand}`,
    })
  }
}

/** Failures that asking again cannot change. */
export function isFinal(failure: CallFailure): boolean {
  return ['unauthorized', 'unknown-model', 'no-endpoint'].includes(failure.kind)
}

/** A server that refuses one request is there: whether it takes a task, a task will tell. */
export function isRefusal(failure: CallFailure): boolean {
  return failure.kind === 'bad-request' || failure.kind === 'too-long'
}

/** The end of a run for a failure that `isFinal`. */
export function stopFor(failure: CallFailure, offered: readonly string[] = []): Failure {
  const next: Partial<Record<CallFailure['kind'], string>> = {
    unauthorized: 'set the key of this server, e.g. OPENAI_API_KEY in the environment or .env',
    'unknown-model':
      offered.length > 0
        ? `give --model with one of: ${offered.slice(0, 8).join(', ')}`
        : 'load the model in the server, or give the name that it lists at /v1/models',
    'no-endpoint': 'check --base-url, or try --endpoint completion; failmap doctor shows servers',
  }
  return new Failure(EXIT.modelServer, 'the model server refuses', {
    why: failure.message,
    next: next[failure.kind],
  })
}

function words(failure: CallFailure): string {
  if (failure.kind === 'loading') return 'waiting for the model to load'
  if (failure.kind === 'busy') return 'the server asks to wait'
  return 'paused, nothing is lost'
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`
}
