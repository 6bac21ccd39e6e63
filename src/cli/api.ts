import type { z } from 'zod'
import { EMPTY_SHA256, sha256Hex } from '../protocol/digest.ts'
import { type Health, healthSchema } from '../protocol/health.ts'
import type { Signer } from '../protocol/jws.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { MEDIA, routePath } from '../protocol/routes.ts'
import { failureOfRefusal, isWorthAgain, unreachable } from './api-failure.ts'
import { checkClock } from './clock.ts'
import { EXIT } from './exit.ts'
import { Failure } from './failure.ts'
import { readText } from './model/call.ts'
import { looksLikeHtml, readRetryAfter, shown } from './model/call-failure.ts'
import type { Transport, TransportResponse } from './model/transport.ts'
import { requestToken } from './request-token.ts'

const TRIES = 4
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000
/** For a request and its whole answer, where both are small. */
const SHORT_EXCHANGE_MS = 60_000

export type ApiOptions = {
  origin: string
  transport: Transport
  /** Null for what needs no signature. */
  signer: Signer | null
  now: () => number
  randomBytes: (count: number) => Uint8Array
  sleep: (ms: number) => Promise<void>
  interrupted: AbortSignal
  tell: (line: string) => void
  /** How long a long transfer may stand still. */
  stallMs: number
}

type Tried<T> = Result<T, { failure: Failure; waitMs: number | null }>
/** Takes what is wanted of an answer of the 2xx kind; a body that breaks off is tried again. */
type Take<T> = (response: TransportResponse) => Promise<T> | T
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Sending = {
  method: Method
  path: string
  /** What this is to the user; method and path unless given. */
  what?: string
  headers?: Record<string, string>
  /** Made anew for each try. */
  body?: () => string | AsyncIterable<Uint8Array>
  /** SHA-256 that the token states; of the identity-coded bytes where a coding is applied. */
  bodySha256?: string
}

/** The failmap API as the commands use it: signed requests, bounded retries, failures in words. */
export class Api {
  readonly origin: string
  readonly #options: ApiOptions
  #clockIsChecked = false

  constructor(options: ApiOptions) {
    this.origin = options.origin
    this.#options = options
  }

  get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.json({ method: 'GET', path }, schema)
  }

  health(): Promise<Health> {
    return this.get(routePath('health'), healthSchema)
  }

  async post<T>(path: string, value: unknown, schema: z.ZodType<T>, isSigned = true): Promise<T> {
    const text = JSON.stringify(value)
    const sending: Sending = {
      method: 'POST',
      path,
      headers: { 'content-type': MEDIA.json },
      body: () => text,
      bodySha256: await sha256Hex(text),
    }
    return this.json(sending, schema, isSigned)
  }

  /** Sends and reads the JSON answer. */
  async json<T>(sending: Sending, schema: z.ZodType<T>, isSigned = true): Promise<T> {
    const take = async (response: TransportResponse) =>
      [response, await readText(response.body)] as const
    const [response, text] = await this.#repeat(sending, isSigned, take, SHORT_EXCHANGE_MS)
    const value = readJsonAnswer(response, text, this.#describe(sending))
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw new Failure(EXIT.api, `${this.#describe(sending)} answered in another shape`, {
      why: parsed.error.issues
        .slice(0, 3)
        .map((issue) => `${issue.path.join('.')}: ${issue.message}`)
        .join('; '),
      next: 'update the client: it and the API are of different versions',
    })
  }

  /**
   * For what is long, up or down: it may take hours on a slow line, as long as something moves.
   *
   * @param take - reads the whole body; called anew for each try
   */
  transfer<T>(sending: Sending, take: Take<T>): Promise<T> {
    return this.#repeat(sending, true, take)
  }

  async #repeat<T>(
    sending: Sending,
    isSigned: boolean,
    take: Take<T>,
    timeLimitMs?: number,
  ): Promise<T> {
    if (isSigned && this.#options.signer !== null) await this.#compareClocks()
    for (let attempt = 1; ; attempt += 1) {
      const tried = await this.#try(sending, isSigned, attempt, take, timeLimitMs)
      if (tried.ok) return tried.value
      const { failure, waitMs } = tried.error
      if (attempt >= TRIES || waitMs === null || this.#options.interrupted.aborted) throw failure
      this.#options.tell(`${failure.message}; trying again in ${Math.ceil(waitMs / 1000)} s`)
      await this.#options.sleep(Math.min(waitMs, LONGEST_WAIT_MS))
    }
  }

  async #try<T>(
    sending: Sending,
    isSigned: boolean,
    attempt: number,
    take: Take<T>,
    timeLimitMs: number | undefined,
  ): Promise<Tried<T>> {
    const { transport, signer, interrupted, now } = this.#options
    const { method, path, headers = {}, body, bodySha256 = EMPTY_SHA256 } = sending
    const backoff = FIRST_WAIT_MS * 2 ** attempt
    let hasStarted = false
    const authorization =
      isSigned && signer !== null
        ? { authorization: `Bearer ${await this.#token(signer, method, path, bodySha256)}` }
        : {}
    try {
      const response = await transport.request(this.origin + path, {
        method,
        headers: { accept: MEDIA.json, ...headers, ...authorization },
        ...(body === undefined ? {} : { body: body() }),
        signal: interrupted,
        ...(timeLimitMs === undefined ? { stallLimitMs: this.#options.stallMs } : { timeLimitMs }),
      })
      hasStarted = true
      if (response.status >= 200 && response.status < 300) return ok(await take(response))
      const text = await readText(response.body)
      const failure = failureOfRefusal(this.#describe(sending), response, text)
      const retryAfter = readRetryAfter(response.header('retry-after'), now())
      const waitMs = isWorthAgain(response.status, text) ? (retryAfter ?? backoff) : null
      return err({ failure, waitMs })
    } catch (thrown) {
      // What the taker of the answer has words for is not the network's.
      if (thrown instanceof Failure) throw thrown
      const failure = unreachable(thrown, this.#describe(sending), this.origin, hasStarted)
      return err({ failure, waitMs: backoff })
    }
  }

  #token(signer: Signer, method: Method, path: string, bodySha256: string): Promise<string> {
    return requestToken({
      signer,
      origin: this.origin,
      method,
      target: path,
      bodySha256,
      nowSeconds: Math.floor(this.#options.now() / 1000),
      jti: this.#options.randomBytes(16),
    })
  }

  /** Once, before anything is signed: a token from a wrong clock is refused for odd reasons. */
  async #compareClocks(): Promise<void> {
    if (this.#clockIsChecked) return
    this.#clockIsChecked = true
    const take = async (response: TransportResponse) => {
      await response.discard()
      return response.header('date')
    }
    const health: Sending = { method: 'GET', path: routePath('health') }
    const date = await this.#repeat(health, false, take, SHORT_EXCHANGE_MS)
    if (date !== undefined) checkClock(Date.parse(date), this.#options.now())
  }

  #describe({ method, path, what }: Sending): string {
    return what ?? `${method} ${new URL(this.origin).host}${path.replace(/\?.*$/, '')}`
  }
}

function readJsonAnswer(response: TransportResponse, text: string, what: string): unknown {
  const isHtml = looksLikeHtml(response.header('content-type'), text)
  try {
    if (!isHtml) return JSON.parse(text)
  } catch {
    // Falls through to the one message for both.
  }
  throw new Failure(EXIT.api, `${what} answered ${response.status} without JSON`, {
    why: `${isHtml ? 'it is a web page (a proxy or a sign-in page?)' : 'it says'}: ${shown(text)}`,
    next: 'check --api-url, and HTTPS_PROXY / NO_PROXY; failmap doctor shows the route',
  })
}
