import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { type BodyTemplate, bodyTemplate } from './body-template.ts'
import type { CallFailure, CallOutcome, Completion } from './completion.ts'
import type { Message } from './dialect.ts'
import { isFinal, type ServerWatch, stopFor } from './server-watch.ts'
import { fittingMaxTokens } from './window.ts'

/** Failures in a row, over all tasks, after which the server is the suspect and not the task. */
const SUSPICION = 5
/** Tries for one task: one more than it takes to ask after the server's health. */
const MAX_ATTEMPTS = 6
/** Tasks given up in a row after which the server is to blame, whatever its probes say. */
const MOST_GIVEN_UP = 3
const BACKOFF_MS = 500
/** What a server says of a template that has no place for a message. */
const TEMPLATE = /system|role|template|jinja/i
const LONGEST_BACKOFF_MS = 8_000

/** A question with its request as bytes. */
export type Ask = {
  /** As the inside of a JSON string. */
  prompt: Uint8Array
  hasSystemRole: boolean
  maxTokens: number
  body: Uint8Array
}

export type Asked =
  | { kind: 'answered'; completion: Completion; maxTokens: number; attempts: number }
  | { kind: 'gave-up'; failure: CallFailure; attempts: number }
  | { kind: 'interrupted' }

export type AskerOptions = {
  watch: ServerWatch
  encode: (messages: Message[], maxTokens: number) => Buffer
  call: (body: Uint8Array) => Promise<CallOutcome>
  /** Null: the prompt alone is sent, as one user message. */
  system: string | null
  /** False: the text goes before the prompt, in the user message. */
  hasSystemRole: boolean
  /** Called once when the server cannot take a system message. */
  onTemplateFallback: () => void
  sleep: (ms: number) => Promise<void>
  random: () => number
}

/** Asks for one task at a time per caller, with bounded retries; any number of callers share it. */
export class Asker {
  readonly #options: AskerOptions
  #hasSystemRole: boolean
  /** The one used last: nearly all requests of a run are alike. */
  #template: (BodyTemplate & { hasSystemRole: boolean; maxTokens: number }) | null = null
  #refusedInARow = 0
  #givenUpInARow = 0

  constructor(options: AskerOptions) {
    this.#options = options
    this.#hasSystemRole = options.hasSystemRole
  }

  /** @param prompt - UTF-8 of the prompt as the inside of a JSON string; it is copied */
  prepare(prompt: Uint8Array, maxTokens: number): Ask {
    const hasSystemRole = this.#hasSystemRole
    const { head, tail } = this.#templateFor(hasSystemRole, maxTokens)
    const body = Buffer.concat([head, prompt, tail])
    const end = body.length - tail.length
    return { prompt: body.subarray(head.length, end), hasSystemRole, maxTokens, body }
  }

  #templateFor(hasSystemRole: boolean, maxTokens: number): BodyTemplate {
    const last = this.#template
    if (last?.hasSystemRole === hasSystemRole && last.maxTokens === maxTokens) return last
    const { encode, system } = this.#options
    const made = bodyTemplate((prompt) =>
      encode(toMessages(system, prompt, hasSystemRole), maxTokens),
    )
    this.#template = { ...made, hasSystemRole, maxTokens }
    return made
  }

  /** Throws a `Failure` when the run has to stop. */
  async ask(prepared: Ask): Promise<Asked> {
    const { watch, call, sleep } = this.#options
    const { prompt } = prepared
    let ask = prepared
    let attempts = 0
    for (;;) {
      if (watch.isClosed) await watch.gate()
      if (ask.hasSystemRole !== this.#hasSystemRole) ask = this.prepare(prompt, ask.maxTokens)
      const { maxTokens, hasSystemRole } = ask
      const outcome = await call(ask.body)
      attempts += 1
      if (outcome.ok) {
        watch.answered()
        this.#refusedInARow = 0
        this.#givenUpInARow = 0
        return { kind: 'answered', completion: outcome.value, maxTokens, attempts }
      }
      const failure = outcome.error
      if (failure.kind === 'interrupted') return { kind: 'interrupted' }
      if (isFinal(failure)) throw stopFor(failure)
      if (hasSystemRole && this.#fallsBack(failure)) continue
      switch (failure.kind) {
        case 'loading':
        case 'busy':
        case 'unreachable':
          await watch.waitUntilReady(failure)
          attempts -= 1
          break
        case 'too-long': {
          const fitting = maxTokens === prepared.maxTokens ? shorter(failure, maxTokens) : null
          if (fitting === null) return { kind: 'gave-up', failure, attempts }
          ask = this.prepare(prompt, fitting)
          break
        }
        case 'bad-request':
          this.#countRefusal(failure)
          return { kind: 'gave-up', failure, attempts }
        case 'cut':
        case 'server-error':
        case 'not-a-model':
          watch.failed()
          if (watch.failuresInARow >= SUSPICION || failure.retryAfterMs !== undefined) {
            await watch.waitUntilReady(failure)
          } else if (attempts >= MAX_ATTEMPTS && watch.hasAnswered) {
            return this.#giveUp(failure, attempts)
          } else {
            await sleep(this.#backoff(attempts))
          }
          break
      }
    }
  }

  /** A template without a system role fails the first call: in its own words, or without any. */
  #fallsBack({ kind, said = '' }: CallFailure): boolean {
    if (this.#options.system === null || this.#options.watch.hasAnswered) return false
    // Words about something else (memory, a device) are those of a server in trouble.
    const isOfTemplate = said === '' || TEMPLATE.test(said)
    const isRefused = kind === 'bad-request' || (kind === 'server-error' && isOfTemplate)
    if (!isRefused) return false
    if (this.#hasSystemRole) {
      this.#hasSystemRole = false
      this.#options.onTemplateFallback()
    }
    return true
  }

  #giveUp(failure: CallFailure, attempts: number): Asked {
    this.#givenUpInARow += 1
    if (this.#givenUpInARow > MOST_GIVEN_UP) throw this.#options.watch.goneFor(failure)
    return { kind: 'gave-up', failure, attempts }
  }

  #countRefusal(failure: CallFailure): void {
    this.#refusedInARow += 1
    if (this.#refusedInARow < SUSPICION || this.#options.watch.hasAnswered) return
    throw new Failure(EXIT.modelServer, 'the model server refuses every request', {
      why: failure.message,
      next: 'failmap doctor   (checks server, model name and context length)',
    })
  }

  #backoff(attempts: number): number {
    const ceiling = Math.min(BACKOFF_MS * 2 ** attempts, LONGEST_BACKOFF_MS)
    return ceiling * (0.5 + this.#options.random() / 2)
  }
}

/** One smaller limit is tried, when the refusal tells how small. */
function shorter(failure: CallFailure, maxTokens: number): number | null {
  const fitting = failure.complaint === undefined ? null : fittingMaxTokens(failure.complaint)
  return fitting !== null && fitting < maxTokens ? fitting : null
}

function toMessages(system: string | null, prompt: string, hasSystemRole: boolean): Message[] {
  if (system === null) return [{ role: 'user', content: prompt }]
  if (!hasSystemRole) return [{ role: 'user', content: `${system}\n\n${prompt}` }]
  return [
    { role: 'system', content: system },
    { role: 'user', content: prompt },
  ]
}
