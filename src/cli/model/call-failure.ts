import { codeOf, messageOf } from '../failure.ts'
import type { CallFailure, CallFailureKind } from './completion.ts'
import { readWindowComplaint } from './window.ts'

const SHOWN_CHARACTERS = 80

const TOO_LONG =
  /exceed_context_size|context[ _](length|size|window)|maximum context|n_ctx|too long|too many tokens|exceeds? .*(tokens|window|context)/i
const UNKNOWN_MODEL =
  /model.{0,200}(not found|does ?n[o']t exist|not exist|unknown|not loaded|no such|not supported)|(unknown|invalid|no such) model|model_not_found/i
const LOADING = /load|warming|starting|initiali[sz]ing/i

type Answered = {
  method: string
  url: string
  status: number
  contentType: string | undefined
  retryAfter: string | undefined
  /** Where a redirect points. */
  location?: string | undefined
  text: string
}

/** Names what an answer that is no completion means for the run. */
export function failureOfAnswer(answer: Answered, now: number): CallFailure {
  const said = errorText(answer.text)
  const retryAfterMs = readRetryAfter(answer.retryAfter, now)
  return {
    kind: kindOf(answer, said),
    message: `${answer.method} ${hostOf(answer.url)} answered ${answer.status}: ${shown(wordsOf(answer, said))}`,
    said,
    status: answer.status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...complaintIn(answer.text),
  }
}

/** A prompt is not sent on to wherever a redirect points. */
function wordsOf({ status, location }: Answered, said: string): string {
  const isRedirect = status >= 300 && status < 400 && location !== undefined
  return isRedirect ? `a redirect to ${location}` : said
}

function complaintIn(text: string): Pick<CallFailure, 'complaint'> {
  const complaint = readWindowComplaint(text)
  return complaint === null ? {} : { complaint }
}

function kindOf({ status, contentType, text }: Answered, said: string): CallFailureKind {
  if (status === 401 || status === 402 || status === 403) return 'unauthorized'
  if (status === 429 || status === 408) return 'busy'
  if (status === 503) return LOADING.test(said) || said === '' ? 'loading' : 'busy'
  if (status >= 300 && status < 400) return 'no-endpoint'
  if (looksLikeHtml(contentType, text) && status < 500) return 'not-a-model'
  if (status === 404 || status === 405) {
    return UNKNOWN_MODEL.test(said) ? 'unknown-model' : 'no-endpoint'
  }
  if (TOO_LONG.test(said)) return 'too-long'
  if (status >= 400 && status < 500 && UNKNOWN_MODEL.test(said)) return 'unknown-model'
  if (status >= 500) return 'server-error'
  if (status >= 400) return 'bad-request'
  return looksLikeJson(text) ? 'server-error' : 'not-a-model'
}

/** A failure that the server reported inside a body of status 200. */
export function failureInside(error: unknown, url: string): CallFailure {
  const said = errorMessage(error) ?? JSON.stringify(error) ?? 'an error without a text'
  return {
    kind: TOO_LONG.test(said) ? 'too-long' : 'server-error',
    said,
    message: `POST ${hostOf(url)} answered with an error: ${shown(said)}`,
    ...complaintIn(said),
  }
}

/** A failure below HTTP: no connection, or one that broke. */
export function failureOfThrown(thrown: unknown, url: string, started: boolean): CallFailure {
  const code = codeOf(thrown)
  const what = [code, messageOf(thrown)].filter((part) => part !== undefined && part !== '')
  return {
    kind: started ? 'cut' : 'unreachable',
    message: `POST ${hostOf(url)} ${started ? 'broke off' : 'got no answer'}: ${shown(what.join(' '))}`,
  }
}

/** The message of the many shapes in which servers report an error. */
export function errorMessage(error: unknown): string | undefined {
  if (typeof error === 'string') return error
  if (typeof error !== 'object' || error === null) return undefined
  for (const field of ['message', 'detail', 'error', 'msg']) {
    const inner = Object.entries(error).find(([name]) => name === field)?.[1]
    const text = errorMessage(inner)
    if (text !== undefined) return text
  }
  return undefined
}

function errorText(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    return errorMessage(body) ?? text
  } catch {
    return text
  }
}

export function looksLikeHtml(contentType: string | undefined, text: string): boolean {
  return /html/i.test(contentType ?? '') || text.trimStart().startsWith('<')
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[{[]/.test(text)
}

/** The first characters of a foreign text, on one line and without control characters. */
export function shown(text: string, most: number = SHOWN_CHARACTERS): string {
  const line = text
    .slice(0, 100 * most)
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const characters = [...line]
  if (characters.length === 0) return 'nothing'
  return characters.length > most ? `${characters.slice(0, most).join('')}…` : line
}

export function hostOf(url: string): string {
  return new URL(url).host
}

/** Milliseconds of a `Retry-After` header: seconds or an HTTP date (RFC 9110, 10.2.3). */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
