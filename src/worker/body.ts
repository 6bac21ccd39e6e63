import type { ProblemSlug } from '../protocol/problem.ts'

/** Why a body could not be read to its end. */
export class BodyError extends Error {
  override name = 'BodyError'
  readonly slug: ProblemSlug

  constructor(slug: ProblemSlug, detail: string) {
    super(detail)
    this.slug = slug
  }
}

export type Coding = 'identity' | 'gzip'

/** A request body that is read once, chunk by chunk, under two caps. */
export type Body = {
  /** The identity-coded bytes, at most `maxBytes`. Throws BodyError over a cap or when the coding is broken. */
  chunks(maxBytes?: number): AsyncGenerator<Uint8Array>
  /** Reads what is left, bounded: a reply to an unread body can be lost on the way to the client. */
  drain(): Promise<void>
}

export type Caps = { wireBytes: number; bytes: number }

/** More than any platform lets through; whoever sends more than this waits for no answer. */
const MOST_DRAINED_BYTES = 128 * 1024 * 1024

/** `stream` may be null: an empty body. `caps.wireBytes` counts as sent, `caps.bytes` after unpacking. */
export function openBody(
  stream: ReadableStream<Uint8Array> | null,
  coding: Coding,
  caps: Caps,
): Body {
  const reader = stream?.getReader()
  let wire = 0

  const next = async (): Promise<Uint8Array | null> => {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) return null
    wire += value.byteLength
    if (wire > caps.wireBytes) {
      throw new BodyError('body-too-large', `more than ${caps.wireBytes} bytes`)
    }
    return value
  }

  async function* chunks(maxBytes = caps.bytes) {
    let bytes = 0
    const source = coding === 'gzip' ? gunzip(next) : identity(next)
    for await (const chunk of source) {
      bytes += chunk.byteLength
      if (bytes > Math.min(maxBytes, caps.bytes)) {
        throw new BodyError('body-too-large', `more than ${Math.min(maxBytes, caps.bytes)} bytes`)
      }
      yield chunk
    }
  }

  return {
    chunks,
    async drain() {
      try {
        for (;;) {
          const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
          if (done || value === undefined) return
          wire += value.byteLength
          if (wire > MOST_DRAINED_BYTES) return
        }
      } catch {
        // The client has gone: nobody waits for a reply.
      }
    },
  }
}

type Next = () => Promise<Uint8Array | null>

async function* identity(next: Next) {
  for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk
}

/**
 * Unpacks by hand instead of by pipeThrough, so that the reader of the body stays ours and a bad
 * body can still be drained.
 */
async function* gunzip(next: Next): AsyncGenerator<Uint8Array> {
  const unpacker = new DecompressionStream('gzip')
  const writer = unpacker.writable.getWriter()
  const output: ReadableStreamDefaultReader<Uint8Array> = unpacker.readable.getReader()
  let failure: unknown = null

  const feed = async () => {
    try {
      for (let chunk = await next(); chunk !== null; chunk = await next()) {
        await writer.write(chunk)
      }
      await writer.close()
    } catch (error) {
      failure = error
      await writer.abort(error).catch(() => undefined)
    }
  }

  const feeding = feed()
  try {
    for (;;) {
      const { done, value } = await output.read()
      if (done) break
      yield value
    }
    if (failure !== null) throw failure
  } catch (error) {
    if (failure instanceof BodyError) throw failure
    throw error instanceof BodyError
      ? error
      : new BodyError('body-invalid', 'the gzip coding is broken or cut off')
  } finally {
    await output.cancel().catch(() => undefined)
    await feeding
  }
}

/** All bytes of a small body. */
export async function readAll(body: Body): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of body.chunks()) {
    parts.push(chunk)
    length += chunk.byteLength
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.byteLength
  }
  return all
}

const NEWLINE = 10

/** Cuts bytes into lines, each with its line feed; a last line without one comes as it is. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let held = 0

  const join = (last: Uint8Array): Uint8Array => {
    if (held === 0) return last
    const line = new Uint8Array(held + last.byteLength)
    let at = 0
    for (const part of parts) {
      line.set(part, at)
      at += part.byteLength
    }
    line.set(last, at)
    parts = []
    held = 0
    return line
  }

  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      if (held + end + 1 - start > maxLineBytes) {
        throw new BodyError('body-invalid', 'a line is longer than a patch can be')
      }
      yield join(chunk.subarray(start, end + 1))
      start = end + 1
    }
    if (start < chunk.byteLength) {
      held += chunk.byteLength - start
      if (held > maxLineBytes) {
        throw new BodyError('body-invalid', 'a line is longer than a patch can be')
      }
      parts.push(chunk.slice(start))
    }
  }
  if (held > 0) yield join(new Uint8Array(0))
}
