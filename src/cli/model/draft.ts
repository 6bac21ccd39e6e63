import type { Completion, Usage } from './completion.ts'

/** Characters after which a reply is cut off: far above any module, far below memory. */
export const MAX_REPLY_CHARACTERS = 1_000_000

/** A completion while its pieces arrive. */
export class Draft {
  #content: string[] = []
  #reasoning: string[] = []
  #characters = 0
  finishReason: string | null = null
  usage: Usage | null = null
  servedModel: string | null = null
  toolCalls = false
  /** Which of a server's choices this is; null until one came. */
  choiceNumber: number | null = null

  add(content: string | null | undefined, reasoning: string | null | undefined): void {
    if (content) this.#content.push(content)
    if (reasoning) this.#reasoning.push(reasoning)
    this.#characters += (content?.length ?? 0) + (reasoning?.length ?? 0)
  }

  get isTooLarge(): boolean {
    return this.#characters > MAX_REPLY_CHARACTERS
  }

  get isEmpty(): boolean {
    return this.#characters === 0
  }

  finish(streamed: boolean, reason: string | null = this.finishReason): Completion {
    return {
      content: this.#content.join(''),
      reasoning: this.#reasoning.join(''),
      finishReason: reason,
      usage: this.usage,
      servedModel: this.servedModel,
      streamed,
      toolCalls: this.toolCalls,
    }
  }
}
