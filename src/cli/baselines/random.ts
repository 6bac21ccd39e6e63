import { createHash } from 'node:crypto'

/**
 * Numbers drawn from a text: SHA-256 over the text and a counter, 32 bits at a time. The same text
 * gives the same numbers on every machine and in every version.
 */
export class Draw {
  readonly #seed: string
  #counter = 0
  #words: number[] = []

  constructor(seed: string) {
    this.#seed = seed
  }

  /** A whole number in [0, bound). The bias of the remainder is below 2^-20 for bounds below 4096. */
  below(bound: number): number {
    return this.#word() % bound
  }

  /** True with the chance of `times` in `outOf`. */
  chance(times: number, outOf: number): boolean {
    return this.below(outOf) < times
  }

  /** One item; undefined if there is none. */
  pick<T>(items: readonly T[]): T | undefined {
    return items.length === 0 ? undefined : items[this.below(items.length)]
  }

  #word(): number {
    const word = this.#words.pop()
    if (word !== undefined) return word
    const digest = createHash('sha256')
      .update(`${this.#seed}/${this.#counter++}`)
      .digest()
    this.#words = Array.from({ length: 8 }, (_, index) => digest.readUInt32BE(index * 4))
    return this.#word()
  }
}
