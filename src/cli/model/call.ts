import {
  failureOfAnswer,
  failureOfThrown,
  hostOf,
  looksLikeHtml,
  looksLikeJson,
  shown,
} from './call-failure.ts'
import type { CallOutcome } from './completion.ts'
import type { Dialect, ModelRequest } from './dialect.ts'
import { Draft } from './draft.ts'
import { readDocument, readEventStream, readJsonLines } from './read-answer.ts'
import type { Transport, TransportResponse } from './transport.ts'

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024

export type CallOptions = {
  transport: Transport
  dialect: Dialect
  baseUrl: string
  headers: Record<string, string>
  /** Wall clock for one call: the only limit on time there is. */
  timeLimitMs: number
  interrupted: AbortSignal
  now: () => number
}

/** Asks once. Every way this can go is a value. */
export async function call(request: ModelRequest, options: CallOptions): Promise<CallOutcome> {
  const { transport, dialect, headers, timeLimitMs, interrupted } = options
  const url = options.baseUrl + dialect.path
  const draft = new Draft()
  const stop = new AbortController()
  let isLate = false
  let hasStarted = false
  const timer = setTimeout(() => {
    isLate = true
    stop.abort()
  }, timeLimitMs)
  const giveUp = () => stop.abort()
  interrupted.addEventListener('abort', giveUp, { once: true })
  if (interrupted.aborted) stop.abort()
  try {
    const response = await transport.request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(dialect.body(request)),
      signal: stop.signal,
    })
    hasStarted = true
    return await read(response, dialect, draft, url, options.now)
  } catch (thrown) {
    if (interrupted.aborted) {
      return { ok: false, error: { kind: 'interrupted', message: 'interrupted' } }
    }
    if (isLate) return { ok: true, value: draft.finish(true, 'time_limit') }
    return { ok: false, error: failureOfThrown(thrown, url, hasStarted) }
  } finally {
    clearTimeout(timer)
    interrupted.removeEventListener('abort', giveUp)
  }
}

async function read(
  response: TransportResponse,
  dialect: Dialect,
  draft: Draft,
  url: string,
  now: () => number,
): Promise<CallOutcome> {
  const contentType = response.header('content-type')
  const { status } = response
  if (status === 200 && /event-stream/i.test(contentType ?? '')) {
    return readEventStream(response.body, dialect, draft, url)
  }
  if (status === 200 && /ndjson|jsonl/i.test(contentType ?? '')) {
    return readJsonLines(response.body, dialect, draft, url)
  }
  const text = await readText(response.body)
  if (status === 200 && looksLikeJson(text) && !looksLikeHtml(contentType, text)) {
    return readDocument(text, dialect, draft, url)
  }
  if (status === 200 && !looksLikeHtml(contentType, text)) {
    const message = `POST ${hostOf(url)} answered 200 without JSON: ${shown(text)}`
    return { ok: false, error: { kind: 'not-a-model', message } }
  }
  const retryAfter = response.header('retry-after')
  const answer = { method: 'POST', url, status, contentType, retryAfter, text }
  return { ok: false, error: failureOfAnswer(answer, now()) }
}

/** The body as text; what is beyond 16 MiB is not read. */
export async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.byteLength
    if (bytes > MAX_DOCUMENT_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}
