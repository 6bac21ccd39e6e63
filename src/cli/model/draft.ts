import type { Completion, Usage } from './completion.ts'

/** Characters after which a reply is cut off: far above any module, far below memory. */
export const MAX_REPLY_CHARACTERS = 1_000_000

/** What one piece of an answer says. */
export type Said = {
  /** The server's number of the choice, if it gives one. */
  number: number | null
  content: string | null
  reasoning: string | null
  finishReason: string | null
  callsTools: boolean
}

/** All that came under one number. */
type Choice = {
  content: string[]
  reasoning: string[]
  finishReason: string | null
  callsTools: boolean
}

/**
 * A completion while its pieces arrive.
 *
 * Nobody asks for several choices, but a server may be set up to give them, in turns or one after
 * the other: then the first alone counts. A number is no proof of that, since some servers count
 * pieces there. So choices are several where two come together, where a number comes back after
 * another one, and where one goes on after the end of another.
 */
export class Draft {
  readonly #choices = new Map<number, Choice>()
  #first: number | null = null
  #last = 0
  #areSeveral = false
  #characters = 0
  /** The end that was told last, of whichever choice. */
  #end: string | null = null
  usage: Usage | null = null
  servedModel: string | null = null

  /** @param said - the pieces of one document, in any order */
  add(said: readonly Said[]): void {
    const isFirst = this.#first === null && said.length > 0
    for (const piece of said) this.#put(piece)
    if (said.length < 2) return
    this.#areSeveral = true
    if (isFirst) this.#first = Math.min(...said.map(({ number }) => number ?? 0))
  }

  #put({ number, content, reasoning, finishReason, callsTools }: Said): void {
    // Without a number a piece goes on where the one before was.
    const at = number ?? this.#last
    this.#first ??= at
    const known = this.#choices.get(at)
    if (at !== this.#last) this.#areSeveral ||= known !== undefined || this.#end !== null
    this.#last = at
    const choice = known ?? { content: [], reasoning: [], finishReason: null, callsTools: false }
    if (known === undefined) this.#choices.set(at, choice)
    if (content) choice.content.push(content)
    if (reasoning) choice.reasoning.push(reasoning)
    this.#characters += (content?.length ?? 0) + (reasoning?.length ?? 0)
    if (callsTools) choice.callsTools = true
    if (finishReason) this.#end = choice.finishReason = finishReason
  }

  /** The choices that make the completion: all pieces, unless several have said something. */
  #ours(): Choice[] {
    const all = [...this.#choices.values()]
    if (!this.#areSeveral) return all
    const speaking = all.filter((one) => !isSilent(one))
    if (speaking.length < 2) return all
    const first = this.#choices.get(this.#first ?? 0)
    return first !== undefined && !isSilent(first) ? [first] : speaking.slice(0, 1)
  }

  get finishReason(): string | null {
    if (!this.#areSeveral) return this.#end
    return this.#ours().findLast((one) => one.finishReason !== null)?.finishReason ?? null
  }

  get isTooLarge(): boolean {
    return this.#characters > MAX_REPLY_CHARACTERS
  }

  /** Whether the model said nothing at all, not even that it is done. */
  get isEmpty(): boolean {
    return (
      this.finishReason === null && this.#ours().every((one) => isSilent(one) && !one.callsTools)
    )
  }

  finish(streamed: boolean, reason: string | null = this.finishReason): Completion {
    const ours = this.#ours()
    return {
      content: ours.flatMap((one) => one.content).join(''),
      reasoning: ours.flatMap((one) => one.reasoning).join(''),
      finishReason: reason,
      usage: this.usage,
      servedModel: this.servedModel,
      streamed,
      toolCalls: ours.some((one) => one.callsTools),
    }
  }
}

const isSilent = ({ content, reasoning }: Choice) => content.length + reasoning.length === 0
