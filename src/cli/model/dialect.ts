import type { CallFailure } from './completion.ts'
import type { Draft } from './draft.ts'

export type Message = { role: 'system' | 'user'; content: string }

/** How a run asks: part of the signed settings. */
export type Sampling = {
  temperature: number
  seed: number | null
  topP: number | null
}

export type ModelRequest = {
  model: string
  messages: Message[]
  maxTokens: number
  sampling: Sampling
  /** Context length to ask for, where the server lets a request choose it (Ollama). */
  numCtx: number | null
  stream: boolean
}

/** What one piece of an answer did: more to come, the end, or a failure told inside it. */
export type Piece = { kind: 'more' } | { kind: 'end' } | { kind: 'failure'; error: CallFailure }

/** One way to talk to a model server. Pure: no sockets, no clock. */
export type Dialect = {
  name: 'chat' | 'completion' | 'ollama'
  /** Added to the base URL. */
  path: string
  body(request: ModelRequest): Record<string, unknown>
  /** Reads one JSON document of the answer, whole or a piece of a stream, into the draft. */
  read(value: unknown, draft: Draft, url: string): Piece
}
