import type { Usage } from './completion.ts'
import type { Said } from './draft.ts'

/** What one document of an answer says: whole, or a piece of a stream. */
export type AnswerPart = {
  model: string | null
  usage: Usage | null
  /** Usually one; none where the document tells something else. */
  said: readonly Said[]
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads a document of `/chat/completions` or `/completions`, or answers null when it is none.
 *
 * Servers add and omit fields as they please, so a field of an odd type counts as absent; what is
 * needed is a list of choices whose messages are objects. This runs for every piece of every
 * stream, thousands of times for one reply, and is written by hand for that reason.
 */
export function readAnswerPart(value: unknown): AnswerPart | null {
  if (!isFields(value) || !Array.isArray(value.choices)) return null
  const said: Said[] = []
  for (const choice of value.choices) {
    if (!isChoice(choice)) return null
    said.push(saidBy(choice))
  }
  return { model: textOf(value.model), usage: usageOf(value.usage), said }
}

/** Token counts without a choice: what some servers end a stream with. */
export function readUsageAlone(value: unknown): AnswerPart | null {
  if (!isFields(value) || value.choices != null || !isFields(value.usage)) return null
  return { model: textOf(value.model), usage: usageOf(value.usage), said: [] }
}

function isChoice(choice: unknown): choice is Fields {
  return isFields(choice) && isMessage(choice.message) && isMessage(choice.delta)
}

const isMessage = (value: unknown): boolean => value == null || isFields(value)

function saidBy(choice: Fields): Said {
  const message = isFields(choice.message) ? choice.message : choice.delta
  const fields = isFields(message) ? message : {}
  return {
    number: countOf(choice.index),
    content: contentOf(fields.content) ?? textOf(choice.text),
    reasoning: textOf(fields.reasoning) ?? textOf(fields.reasoning_content),
    finishReason: textOf(choice.finish_reason),
    callsTools: Array.isArray(fields.tool_calls) && fields.tool_calls.length > 0,
  }
}

/** A text, or a list of parts with texts. */
function contentOf(value: unknown): string | null {
  if (!Array.isArray(value)) return textOf(value)
  let content = ''
  for (const part of value) {
    if (!isFields(part)) return null
    if (part.text === undefined) continue
    if (typeof part.text !== 'string') return null
    content += part.text
  }
  return content
}

function usageOf(value: unknown): Usage | null {
  if (!isFields(value)) return null
  const promptTokens = countOf(value.prompt_tokens)
  const completionTokens = countOf(value.completion_tokens)
  return promptTokens === null && completionTokens === null
    ? null
    : { promptTokens, completionTokens }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const countOf = (value: unknown): number | null => (Number.isFinite(value) ? Number(value) : null)
