/** Chunks that wait before the sender is asked to pause. */
const HIGH_WATER = 64

type Sender = { pause: () => void; resume: () => void; abort: (reason: Error) => void }

/**
 * The body of a response: what the network pushes, to be taken in batches or as an iterable.
 *
 * Node's streams do the same and cost more than all the rest of a short call.
 */
export class Chunks implements AsyncIterable<Uint8Array> {
  readonly #sender: Sender
  #waiting: Uint8Array[] = []
  #isPaused = false
  #isOver = false
  #error: Error | null = null
  #wake: (() => void) | null = null

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /** A body that has come already. */
  static of(chunk: Uint8Array): Chunks {
    const whole = new Chunks({ pause() {}, resume() {}, abort() {} })
    whole.push(chunk)
    whole.end()
    return whole
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return
    this.#waiting.push(chunk)
    if (!this.#isPaused && this.#waiting.length >= HIGH_WATER) {
      this.#isPaused = true
      this.#sender.pause()
    }
    this.#notify()
  }

  end(error: Error | null = null): void {
    this.#isOver = true
    this.#error ??= error
    this.#notify()
  }

  /** Nothing more will come; what came may wait to be taken. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** What has come since the last call, perhaps nothing yet; null at the end. Throws where it broke off. */
  take(): Uint8Array[] | null {
    const chunks = this.#waiting
    if (chunks.length > 0) {
      this.#waiting = []
      if (this.#isPaused) {
        this.#isPaused = false
        this.#sender.resume()
      }
      return chunks
    }
    if (this.#error !== null) throw this.#error
    // Never the list that waits: what comes into that one would be taken twice.
    return this.#isOver ? null : []
  }

  /** Resolves when there is something new to take. For one caller at a time. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  /** Ends the exchange in the middle of the body. */
  drop(): void {
    if (!this.#isOver) this.#sender.abort(new Error('the rest of the body is not wanted'))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (let chunks = this.take(); chunks !== null; chunks = this.take()) {
        yield* chunks
        if (chunks.length === 0) await this.arrival()
      }
    } finally {
      this.drop()
    }
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = null
  }
}
