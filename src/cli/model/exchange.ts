import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Chunks } from './chunks.ts'
import type { TransportRequest, TransportResponse } from './transport.ts'

/** What is read of a body that nobody wants before the connection is given up. */
const MAX_DISCARDED_BYTES = 1 << 20

/** One request and its response, straight on a connection of the pool. */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  { method, headers, body, signal }: TransportRequest,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(new Error('aborted'))
    let chunks: Chunks | null = null
    let abort: ((reason: Error) => void) | null = null
    const giveUp = () => {
      const reason = new Error('aborted')
      abort?.(reason)
      fail(reason)
    }
    const over = () => signal?.removeEventListener('abort', giveUp)
    const fail = (error: Error) => {
      over()
      if (chunks === null) reject(error)
      else chunks.end(error)
    }
    signal?.addEventListener('abort', giveUp, { once: true })
    const options = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    }
    dispatcher.dispatch(options, {
      onRequestStart(controller) {
        abort = (reason) => controller.abort(reason)
        if (signal?.aborted) controller.abort(new Error('aborted'))
      },
      onResponseStart(controller, status, fields) {
        // Interim responses (RFC 9110, 15.2) come before the real one.
        if (status < 200) return
        chunks = new Chunks(controller)
        resolve(toResponse(status, fields, chunks))
      },
      onResponseData(_controller, chunk) {
        chunks?.push(chunk)
      },
      onResponseEnd() {
        over()
        chunks?.end()
      },
      onResponseError(_controller, error) {
        fail(error)
      },
    })
  })
}

function bodyOf(body: string | Uint8Array | AsyncIterable<Uint8Array>) {
  return typeof body === 'string' || body instanceof Uint8Array ? body : Readable.from(body)
}

function toResponse(status: number, fields: IncomingHttpHeaders, body: Chunks): TransportResponse {
  return {
    status,
    header: (name) => {
      const value = fields[name]
      return Array.isArray(value) ? value[0] : value
    },
    body,
    async discard() {
      let bytes = 0
      for await (const chunk of body) {
        bytes += chunk.byteLength
        if (bytes > MAX_DISCARDED_BYTES) return
      }
    },
  }
}
