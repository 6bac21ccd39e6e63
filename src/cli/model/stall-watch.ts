/** Ends an exchange in which nothing moved for longer than it may. */
export class StallLimitReached extends Error {
  constructor(waitedMs: number) {
    super(`no byte moved for ${Math.round(waitedMs / 100) / 10} s`)
  }
}

/** The slowest line that counts as one that moves, in bytes per second: a quarter of a Mbit/s. */
const SLOWEST_LINE = 32_000
/** What the system holds for a connection at most before it takes no more (Linux, tcp_wmem). */
const SYSTEM_HOLDS_BYTES = 4 << 20
const LONGEST_TIMER_MS = 2 ** 31 - 1

type StallLimits = {
  /** For a stretch without a byte, where none of ours can be on its way unseen. */
  limitMs: number
  /** Bytes per second. */
  slowestLine?: number | undefined
}

/**
 * Watches that something moves in an exchange.
 *
 * Nobody tells when bytes that the system took have left it, or a proxy behind it. So what was handed
 * over counts as moving for as long as the slowest line needs for it, and the limit begins after that.
 */
export class StallWatch {
  readonly #limitMs: number
  readonly #msPerByte: number
  readonly #end: (error: StallLimitReached) => void
  #timer: NodeJS.Timeout | undefined
  #pauses = 0
  #isOver = false
  /** When the slowest line would have carried all that was handed over. */
  #carriedAtMs = 0
  #isAllHandedOver = false

  constructor(
    { limitMs, slowestLine = SLOWEST_LINE }: StallLimits,
    end: (error: StallLimitReached) => void,
  ) {
    this.#limitMs = limitMs
    this.#msPerByte = 1000 / slowestLine
    this.#end = end
    this.moved()
  }

  /** Something went or came: the next stretch begins. */
  moved(): void {
    clearTimeout(this.#timer)
    if (this.#pauses > 0 || this.#isOver) return
    const waitMs = Math.min(this.#limitMs + this.#unseenMs(), LONGEST_TIMER_MS)
    this.#timer = setTimeout(() => this.#end(new StallLimitReached(waitMs)), waitMs)
  }

  /** So many bytes are handed over to the connection. */
  handOver(bytes: number): void {
    this.#carriedAtMs = Math.max(this.#carriedAtMs, performance.now()) + bytes * this.#msPerByte
  }

  handedOverAll(): void {
    this.#isAllHandedOver = true
  }

  /** The answer has begun, so nothing of the question is on its way any more. */
  answered(): void {
    this.#carriedAtMs = 0
    this.moved()
  }

  /** From now on the other side waits for us, until as many calls of `resume`. */
  pause(): void {
    this.#pauses += 1
    clearTimeout(this.#timer)
  }

  resume(): void {
    this.#pauses -= 1
    this.moved()
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #unseenMs(): number {
    const ms = Math.max(0, this.#carriedAtMs - performance.now())
    // While the connection still takes bytes, only what the system holds can keep it from the next.
    return this.#isAllHandedOver ? ms : Math.min(ms, SYSTEM_HOLDS_BYTES * this.#msPerByte)
  }
}
