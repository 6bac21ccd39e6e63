/** Chunks that wait before the sender is asked to pause. */
const HIGH_WATER = 64

type Sender = { pause: () => void; resume: () => void; abort: (reason: Error) => void }

/**
 * The body of a response: what the network pushes, as an iterable.
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

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunks = this.#waiting
        this.#waiting = []
        yield* chunks
        if (this.#isPaused) {
          this.#isPaused = false
          this.#sender.resume()
        }
        if (this.#waiting.length > 0) continue
        if (this.#error !== null) throw this.#error
        if (this.#isOver) return
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    } finally {
      if (!this.#isOver) this.#sender.abort(new Error('the rest of the body is not wanted'))
    }
  }

  #notify(): void {
    this.#wake?.()
    this.#wake = null
  }
}
