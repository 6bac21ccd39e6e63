import type { IncomingHttpHeaders } from 'node:http'
import { Readable, type Transform } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Chunks } from './chunks.ts'
import { decoderOf } from './content-coding.ts'
import { StallWatch } from './stall-watch.ts'
import type { TransportRequest, TransportResponse } from './transport.ts'

/** What is read of a body that nobody wants before the connection is given up. */
const MAX_DISCARDED_BYTES = 1 << 20

/** Ends an exchange that took longer than it may. */
export class TimeLimitReached extends Error {}

/** Where a request goes, in the parts that the HTTP library asks for. */
export type Target = { dispatcher: Dispatcher; origin: string; path: string }

/** One request and its response, straight on a connection of the pool. */
export function exchange(
  { dispatcher, origin, path }: Target,
  request: TransportRequest,
): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const { method, headers, body, signal } = request
    if (signal?.aborted) return reject(new Error('aborted'))
    const one = new Exchange(resolve, reject, request)
    const options = {
      origin,
      path,
      method,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { body: bodyOf(body, one.watch) }),
    }
    dispatcher.dispatch(options, one)
  })
}

/** What happens on the connection, as the HTTP library tells it. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: TransportResponse) => void
  readonly #reject: (error: Error) => void
  readonly #company: Set<Exchange> | null
  readonly #timer: NodeJS.Timeout | null
  readonly watch: StallWatch | null
  #controller: Dispatcher.DispatchController | null = null
  #chunks: Chunks | null = null
  /** Takes the body apart where the server coded it although nobody asked for that. */
  #decoder: Transform | null = null
  #stopped: Error | null = null

  constructor(
    resolve: (response: TransportResponse) => void,
    reject: (error: Error) => void,
    { signal, timeLimitMs, stallLimitMs, slowestLine }: TransportRequest,
  ) {
    this.#resolve = resolve
    this.#reject = reject
    this.#company = signal === undefined ? null : endingWith(signal).add(this)
    this.#timer = timeLimitMs === undefined ? null : setTimeout(endLate, timeLimitMs, this)
    this.watch =
      stallLimitMs === undefined
        ? null
        : new StallWatch({ limitMs: stallLimitMs, slowestLine }, (error) => this.stop(error))
  }

  /** Ends it from our side, in whatever state it is. */
  stop(reason: Error): void {
    this.#stopped = reason
    this.#controller?.abort(reason)
    this.#finish(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#stopped !== null) controller.abort(this.#stopped)
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    fields: IncomingHttpHeaders,
  ): void {
    this.watch?.moved()
    // Interim responses (RFC 9110, 15.2) come before the real one.
    if (status < 200) return
    this.watch?.answered()
    this.#chunks = new Chunks(this.watch === null ? controller : pausing(controller, this.watch))
    this.#decoder = decoderOf(fields['content-encoding'])
    this.#decoder?.on('data', (chunk: Uint8Array) => this.#chunks?.push(chunk))
    this.#decoder?.on('end', () => this.#finish(null))
    this.#decoder?.on('error', (error) => this.#finish(error))
    this.#resolve(new HttpResponse(status, fields, this.#chunks))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.watch?.moved()
    if (this.#decoder === null) this.#chunks?.push(chunk)
    else this.#decoder.write(chunk)
  }

  onResponseEnd(): void {
    if (this.#decoder === null) this.#finish(null)
    else this.#decoder.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(error)
  }

  #finish(error: Error | null): void {
    this.#company?.delete(this)
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.watch?.stop()
    if (this.#chunks !== null) this.#chunks.end(error)
    else if (error !== null) this.#reject(error)
  }
}

const endLate = (one: Exchange) => one.stop(new TimeLimitReached('the time limit was reached'))

/** While we take nothing, however long our own disk needs, nothing can come. */
function pausing(controller: Dispatcher.DispatchController, watch: StallWatch) {
  return {
    pause() {
      watch.pause()
      controller.pause()
    },
    resume() {
      watch.resume()
      controller.resume()
    },
    abort: (reason: Error) => controller.abort(reason),
  }
}

const companies = new WeakMap<AbortSignal, Set<Exchange>>()

/** All that ends with this signal: Node's signals get slow with many listeners, so each has one. */
function endingWith(signal: AbortSignal): Set<Exchange> {
  const known = companies.get(signal)
  if (known !== undefined) return known
  const company = new Set<Exchange>()
  companies.set(signal, company)
  const endAll = () => {
    for (const one of company) one.stop(new Error('aborted'))
  }
  signal.addEventListener('abort', endAll, { once: true })
  return company
}

function bodyOf(
  body: string | Uint8Array | AsyncIterable<Uint8Array>,
  watch: StallWatch | null,
): string | Uint8Array | Readable {
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  return Readable.from(watch === null ? body : watched(body, watch))
}

/** The next chunk is asked for when the connection has taken the one before; then it waits for us. */
async function* watched(body: AsyncIterable<Uint8Array>, watch: StallWatch) {
  watch.pause()
  for await (const chunk of body) {
    watch.handOver(chunk.byteLength)
    watch.resume()
    yield chunk
    watch.pause()
  }
  watch.handedOverAll()
  watch.resume()
}

class HttpResponse implements TransportResponse {
  readonly status: number
  readonly body: Chunks
  readonly #fields: IncomingHttpHeaders

  constructor(status: number, fields: IncomingHttpHeaders, body: Chunks) {
    this.status = status
    this.body = body
    this.#fields = fields
  }

  header(name: string): string | undefined {
    const value = this.#fields[name]
    return Array.isArray(value) ? value[0] : value
  }

  async discard(): Promise<void> {
    let bytes = 0
    for await (const chunk of this.body) {
      bytes += chunk.byteLength
      if (bytes > MAX_DISCARDED_BYTES) return
    }
  }
}
