import type { Sink } from '../io.ts'
import { duration } from './duration.ts'

export type ProgressOptions = {
  sink: Sink
  now: () => number
  total: number
  /** Answers that were there before: they count as done, but not for the rate. */
  done: number
  /** Words after the count, e.g. `answers`. */
  noun: string
}

const REDRAW_MS = 200
const PLAIN_LINE_MS = 15_000
const BAR_CELLS = 20

/** Live progress: one line that is drawn over on a terminal, a line now and then elsewhere. */
export class Progress {
  readonly #options: ProgressOptions
  readonly #startedAt: number
  #fresh = 0
  #lostShare: number | null = null
  #drawnAt = 0
  #hasLine = false

  constructor(options: ProgressOptions) {
    this.#options = options
    this.#startedAt = options.now()
    this.#drawnAt = options.sink.isTerminal ? 0 : options.now()
  }

  /** One more is done; null where nothing can be lost. */
  advance(lostShare: number | null): void {
    this.#fresh += 1
    this.#lostShare = lostShare
    const { sink, now } = this.#options
    const at = now()
    if (at - this.#drawnAt < (sink.isTerminal ? REDRAW_MS : PLAIN_LINE_MS)) return
    this.#drawnAt = at
    this.#draw(at)
  }

  /** A line of talk, above the progress line. */
  tell(line: string): void {
    this.#clear()
    this.#options.sink.write(`${line}\n`)
  }

  /** Draws the last state and ends the line; says nothing where nothing was done. */
  finish(): void {
    if (this.#fresh === 0 && !this.#hasLine) return
    this.#draw(this.#options.now())
    if (this.#hasLine) this.#options.sink.write('\n')
    this.#hasLine = false
  }

  #draw(at: number): void {
    const { sink } = this.#options
    if (!sink.isTerminal) {
      sink.write(`${this.line(at)}\n`)
      return
    }
    this.#clear()
    sink.write(this.line(at).slice(0, Math.max(20, sink.columns - 1)))
    this.#hasLine = true
  }

  #clear(): void {
    if (this.#hasLine) this.#options.sink.write('\r\u001b[2K')
    this.#hasLine = false
  }

  /** `[#####…] 123/2048 answers  6 % lost  3.2/s  ETA 9 min`. */
  line(at: number): string {
    const { total, done, noun } = this.#options
    const count = done + this.#fresh
    const share = total === 0 ? 1 : count / total
    const cells = Math.round(share * BAR_CELLS)
    const bar = `[${'#'.repeat(cells)}${'.'.repeat(BAR_CELLS - cells)}]`
    const seconds = (at - this.#startedAt) / 1000
    const perSecond = seconds > 0 ? this.#fresh / seconds : 0
    const parts = [`${bar} ${count}/${total} ${noun}`]
    if (this.#lostShare !== null) parts.push(`${Math.round(this.#lostShare * 100)} % lost`)
    if (this.#fresh > 0) {
      parts.push(rate(perSecond))
      if (count < total) parts.push(`ETA ${duration((total - count) / perSecond)}`)
    }
    return parts.join('  ')
  }
}

function rate(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(1)}/s`
  return perSecond * 60 >= 1
    ? `${(perSecond * 60).toFixed(1)}/min`
    : `${(perSecond * 3600).toFixed(1)}/h`
}
