import {
  failureOfAnswer,
  failureOfThrown,
  hostOf,
  looksLikeHtml,
  looksLikeJson,
  shown,
} from './call-failure.ts'
import { Chunks } from './chunks.ts'
import type { CallFailure, CallOutcome } from './completion.ts'
import type { Dialect } from './dialect.ts'
import { Draft } from './draft.ts'
import { TimeLimitReached } from './exchange.ts'
import { readDocument, readEventStream, readJsonLines } from './read-answer.ts'
import { redact } from './redact.ts'
import type { Transport, TransportResponse } from './transport.ts'

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024

export type CallOptions = {
  transport: Transport
  dialect: Dialect
  baseUrl: string
  headers: Record<string, string>
  /** What must not appear in any message. */
  secrets: readonly string[]
  /** Wall clock for one call: the only limit on time there is. */
  timeLimitMs: number
  interrupted: AbortSignal
  now: () => number
}

/** Asks once. Every way this can go is a value. */
export async function call(body: Uint8Array, options: CallOptions): Promise<CallOutcome> {
  const { transport, dialect, headers, timeLimitMs, interrupted } = options
  const url = options.baseUrl + dialect.path
  const draft = new Draft()
  let hasStarted = false
  try {
    const response = await transport.request(url, {
      method: 'POST',
      headers,
      body,
      signal: interrupted,
      timeLimitMs,
    })
    hasStarted = true
    const outcome = await read({ response, dialect, draft, url, now: options.now })
    return outcome.ok ? outcome : failed(outcome.error, options)
  } catch (thrown) {
    if (interrupted.aborted) {
      return { ok: false, error: { kind: 'interrupted', message: 'interrupted' } }
    }
    if (thrown instanceof TimeLimitReached) {
      return { ok: true, value: draft.finish(true, 'time_limit') }
    }
    return failed(failureOfThrown(thrown, url, hasStarted), options)
  }
}

function failed(failure: CallFailure, { secrets }: CallOptions): CallOutcome {
  return { ok: false, error: { ...failure, message: redact(failure.message, secrets) } }
}

type Answering = {
  response: TransportResponse
  dialect: Dialect
  draft: Draft
  url: string
  now: () => number
}

function read(answering: Answering): Promise<CallOutcome> {
  const { response, dialect, draft, url } = answering
  const type = response.status === 200 ? (response.header('content-type') ?? '') : ''
  if (/event-stream/i.test(type)) return readEventStream(response.body, dialect, draft, url)
  if (/ndjson|jsonl/i.test(type)) return readJsonLines(response.body, dialect, draft, url)
  return readWhole(answering)
}

async function readWhole(answering: Answering): Promise<CallOutcome> {
  const { response, dialect, draft, url, now } = answering
  const contentType = response.header('content-type')
  const { status } = response
  const text = await readText(response.body)
  if (status === 200 && looksLikeEvents(text)) {
    return readEventStream(Chunks.of(Buffer.from(text)), dialect, draft, url)
  }
  if (status === 200 && looksLikeJson(text) && !looksLikeHtml(contentType, text)) {
    return readDocument(text, dialect, draft, url)
  }
  if (status === 200 && !looksLikeHtml(contentType, text)) {
    const message = `POST ${hostOf(url)} answered 200 without JSON: ${shown(text)}`
    return { ok: false, error: { kind: 'not-a-model', message } }
  }
  const retryAfter = response.header('retry-after')
  const location = response.header('location')
  const answer = { method: 'POST', url, status, contentType, retryAfter, location, text }
  return { ok: false, error: failureOfAnswer(answer, now()) }
}

/** A stream under another name than its own. */
const looksLikeEvents = (text: string): boolean => /^\s*(data|event):/.test(text)

/** The body as text without a byte-order mark; what is beyond 16 MiB is not read. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > MAX_DOCUMENT_BYTES) break
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}
