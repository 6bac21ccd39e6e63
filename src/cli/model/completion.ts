import type { WindowComplaint } from './window.ts'

/** Token counts as the server reported them; a field is null when it said nothing about it. */
export type Usage = {
  promptTokens: number | null
  completionTokens: number | null
}

/** One answer of a model, whatever the dialect it came in. */
export type Completion = {
  content: string
  /** The reasoning channel. Read for diagnosis, never searched for code. */
  reasoning: string
  /** `stop`, `length`, … as the server says; `time_limit` and `size_limit` are ours. */
  finishReason: string | null
  /** Null when the server does not report usage: never shown as 0. */
  usage: Usage | null
  /** The name under which the server says it answered. */
  servedModel: string | null
  /** False when a server ignored the wish for a stream. */
  streamed: boolean
  /** The model tried to call a tool in place of answering. */
  toolCalls: boolean
}

/**
 * Why a call brought no answer.
 *
 * - `unauthorized`, `unknown-model`, `no-endpoint`: asking again cannot help, the run stops.
 * - `loading`, `busy`: the server wants us to wait.
 * - `unreachable`, `cut`, `server-error`, `not-a-model`: the server is in trouble, not the task.
 * - `too-long`: prompt and allowed output do not fit the window.
 * - `bad-request`: this request was refused.
 * - `interrupted`: we gave up on it ourselves.
 */
export type CallFailureKind =
  | 'unauthorized'
  | 'unknown-model'
  | 'no-endpoint'
  | 'loading'
  | 'busy'
  | 'unreachable'
  | 'cut'
  | 'server-error'
  | 'not-a-model'
  | 'too-long'
  | 'bad-request'
  | 'interrupted'

export type CallFailure = {
  kind: CallFailureKind
  /** One line with method, host, status and what the server said. */
  message: string
  /** The server's own words, as far as it has some. */
  said?: string
  status?: number
  /** Milliseconds, from `Retry-After`. */
  retryAfterMs?: number
  /** Sizes in tokens that a `too-long` refusal names. */
  complaint?: WindowComplaint
}

export type CallOutcome = { ok: true; value: Completion } | { ok: false; error: CallFailure }
