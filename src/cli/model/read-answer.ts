import { failureInside, hostOf, shown } from './call-failure.ts'
import type { Chunks } from './chunks.ts'
import type { CallFailure, CallOutcome } from './completion.ts'
import type { Dialect, Piece } from './dialect.ts'
import type { Draft } from './draft.ts'
import { type Splitter, splitEvents, splitLines } from './sse.ts'

/** How long a server may keep a finished stream open before the connection is dropped. */
const LINGER_MS = 1000
/** How long token counts and the mark of the end may take after the model said that it was done. */
const LAST_WORDS_MS = 5000

/** Reads a `text/event-stream` answer into the draft. */
export function readEventStream(
  body: Chunks,
  dialect: Dialect,
  draft: Draft,
  url: string,
): Promise<CallOutcome> {
  return readPieces(body, splitEvents(), draft, url, (event) => {
    const data = event.data.trim()
    if (data === '[DONE]') return { kind: 'end' }
    const value = parse(data)
    if (data === '' || isAside(event.event, value)) return { kind: 'more' }
    if (event.event === 'error') return failed(failureInside(value ?? event.data, url))
    if (value === undefined) return failed(brokenOff(url, data))
    return dialect.read(value, draft, url)
  })
}

/** Events with a name of their own that keep the connection alive or tell about the server. */
function isAside(name: string | undefined, value: unknown): boolean {
  if (name === undefined || name === 'message' || name === 'error') return false
  return typeof value !== 'object' || value === null || !('choices' in value || 'error' in value)
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
  if (draft.isTooLarge) return { ok: true, value: draft.finish(false, 'size_limit') }
  if (draft.isEmpty) return nothingIn(url)
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
    const chunks = takeChunks(body, draft)
    if (chunks?.length === 0) {
      hasEnded = !(await arrives(body, draft))
      continue
    }
    isOver = chunks === null
    for (const item of split(chunks, splitter, body)) {
      const piece = read(item)
      if (piece.kind === 'failure') {
        // A torn last piece behind the end of the model's text takes nothing from it.
        if (isOver && piece.error.kind === 'cut' && draft.finishReason !== null) break
        body.drop()
        return { ok: false, error: piece.error }
      }
      if (draft.isTooLarge) {
        body.drop()
        return { ok: true, value: draft.finish(true, 'size_limit') }
      }
      // What comes behind the end counts for nothing, in the same packet as in another.
      hasEnded = piece.kind === 'end'
      if (hasEnded) break
    }
  }
  if (hasEnded) leave(body)
  else if (draft.finishReason === null) return { ok: false, error: brokenOff(url, '') }
  if (draft.isEmpty) return nothingIn(url)
  return { ok: true, value: draft.finish(true) }
}

/** As `Chunks.take`; a connection that breaks after the model was done has ended. */
function takeChunks(body: Chunks, draft: Draft): Uint8Array[] | null {
  try {
    return body.take()
  } catch (error) {
    if (draft.finishReason === null) throw error
    return null
  }
}

function split<Item>(chunks: Uint8Array[] | null, splitter: Splitter<Item>, body: Chunks): Item[] {
  try {
    if (chunks === null) return splitter.end()
    const [first, ...more] = chunks
    const items = first === undefined ? [] : splitter.feed(first)
    for (const chunk of more) items.push(...splitter.feed(chunk))
    return items
  } catch (error) {
    body.drop()
    throw error
  }
}

/** Waits for more; false where the model is done and the server just never ends the stream. */
function arrives(body: Chunks, draft: Draft): Promise<boolean> {
  const arrival = body.arrival().then(() => true)
  if (draft.finishReason === null) return arrival
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), LAST_WORDS_MS)
    arrival.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
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
