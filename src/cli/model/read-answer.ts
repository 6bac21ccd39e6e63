import { failureInside, hostOf, shown } from './call-failure.ts'
import type { Chunks } from './chunks.ts'
import type { CallFailure, CallOutcome } from './completion.ts'
import type { Dialect, Piece } from './dialect.ts'
import type { Draft } from './draft.ts'
import { type Splitter, splitEvents, splitLines } from './sse.ts'

/** How long a server may keep a finished stream open before the connection is dropped. */
const LINGER_MS = 1000

/** Reads a `text/event-stream` answer into the draft. */
export function readEventStream(
  body: Chunks,
  dialect: Dialect,
  draft: Draft,
  url: string,
): Promise<CallOutcome> {
  return readPieces(body, splitEvents(), draft, url, (event) => {
    if (event.data.trim() === '[DONE]') return { kind: 'end' }
    const value = parse(event.data)
    if (event.event === 'error') return failed(failureInside(value ?? event.data, url))
    if (value === undefined) return failed(brokenOff(url, event.data))
    return dialect.read(value, draft, url)
  })
}

/** Reads newline-delimited JSON, as Ollama streams it. */
export function readJsonLines(
  body: Chunks,
  dialect: Dialect,
  draft: Draft,
  url: string,
): Promise<CallOutcome> {
  return readPieces(body, splitLines(), draft, url, (line) => {
    const value = parse(line)
    return value === undefined ? failed(brokenOff(url, line)) : dialect.read(value, draft, url)
  })
}

/** Reads one JSON document. */
export function readDocument(
  text: string,
  dialect: Dialect,
  draft: Draft,
  url: string,
): CallOutcome {
  const value = parse(text)
  if (value === undefined) return { ok: false, error: brokenOff(url, text) }
  const piece = dialect.read(value, draft, url)
  if (piece.kind === 'failure') return { ok: false, error: piece.error }
  if (draft.isEmpty && draft.finishReason === null && !draft.toolCalls) return nothingIn(url)
  return { ok: true, value: draft.finish(false) }
}

async function readPieces<Item>(
  body: Chunks,
  splitter: Splitter<Item>,
  draft: Draft,
  url: string,
  read: (item: Item) => Piece,
): Promise<CallOutcome> {
  let hasEnded = false
  for (let isOver = false; !isOver && !hasEnded; ) {
    const chunks = body.take()
    if (chunks?.length === 0) {
      await body.arrival()
      continue
    }
    isOver = chunks === null
    const items = chunks === null ? splitter.end() : chunks.flatMap(splitter.feed)
    for (const item of items) {
      const piece = read(item)
      if (piece.kind === 'failure') {
        body.drop()
        return { ok: false, error: piece.error }
      }
      if (draft.isTooLarge) {
        body.drop()
        return { ok: true, value: draft.finish(true, 'size_limit') }
      }
      hasEnded ||= piece.kind === 'end'
    }
  }
  if (hasEnded) leave(body)
  else if (draft.finishReason === null) return { ok: false, error: brokenOff(url, '') }
  if (draft.isEmpty && draft.finishReason === null && !draft.toolCalls) return nothingIn(url)
  return { ok: true, value: draft.finish(true) }
}

/** Reads on to the end in the background, so that the connection can serve the next call. */
function leave(body: Chunks): void {
  if (body.isOver) return
  const timer = setTimeout(() => body.drop(), LINGER_MS)
  timer.unref()
  const drain = async () => {
    for await (const _chunk of body);
  }
  drain()
    .catch(() => {})
    .finally(() => clearTimeout(timer))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failed(error: CallFailure): Piece {
  return { kind: 'failure', error }
}

function brokenOff(url: string, text: string): CallFailure {
  const where = text === '' ? '' : `, after: ${shown(text)}`
  return { kind: 'cut', message: `POST ${hostOf(url)}: the answer broke off${where}` }
}

function nothingIn(url: string): CallOutcome {
  const message = `POST ${hostOf(url)} answered 200 with nothing in it`
  return { ok: false, error: { kind: 'server-error', message } }
}
