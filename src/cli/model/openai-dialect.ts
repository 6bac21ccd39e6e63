import { z } from 'zod'
import { failureInside } from './call-failure.ts'
import type { Usage } from './completion.ts'
import type { Dialect, ModelRequest } from './dialect.ts'
import type { Draft } from './draft.ts'

/*
 * Servers add and omit fields as they please, so foreign answers are read leniently: a field of
 * an odd type counts as absent. What remains is checked by meaning: content, or the reason for none.
 */
const text = z.string().nullish().catch(null)
const count = z.number().nullish().catch(null)
const contentSchema = z
  .union([
    z.string(),
    z
      .array(z.object({ text: z.string().optional() }))
      .transform((parts) => parts.map((part) => part.text ?? '').join('')),
  ])
  .nullish()
  .catch(null)
const messageSchema = z
  .object({
    content: contentSchema,
    reasoning: text,
    reasoning_content: text,
    tool_calls: z.array(z.unknown()).nullish().catch(null),
  })
  .nullish()
const answerSchema = z.object({
  model: text,
  choices: z.array(
    z.object({
      finish_reason: text,
      text,
      message: messageSchema,
      delta: messageSchema,
    }),
  ),
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null),
})

function read(value: unknown, draft: Draft, url: string) {
  if (typeof value === 'object' && value !== null && 'error' in value && value.error) {
    return { kind: 'failure', error: failureInside(value.error, url) } as const
  }
  const answer = answerSchema.safeParse(value)
  if (!answer.success) {
    const error = failureInside('the answer has no "choices"', url)
    return { kind: 'failure', error } as const
  }
  const { model, choices, usage } = answer.data
  if (model) draft.servedModel = model
  if (usage) draft.usage = readUsage(usage)
  const choice = choices[0]
  if (choice !== undefined) {
    const message = choice.message ?? choice.delta
    draft.add(message?.content ?? choice.text, message?.reasoning ?? message?.reasoning_content)
    if (message?.tool_calls?.length) draft.toolCalls = true
    if (choice.finish_reason) draft.finishReason = choice.finish_reason
  }
  return { kind: 'more' } as const
}

function readUsage(usage: {
  prompt_tokens?: number | null | undefined
  completion_tokens?: number | null | undefined
}): Usage | null {
  const promptTokens = usage.prompt_tokens ?? null
  const completionTokens = usage.completion_tokens ?? null
  return promptTokens === null && completionTokens === null
    ? null
    : { promptTokens, completionTokens }
}

function common({ model, maxTokens, sampling, stream }: ModelRequest) {
  return {
    model,
    max_tokens: maxTokens,
    temperature: sampling.temperature,
    ...(sampling.topP === null ? {} : { top_p: sampling.topP }),
    ...(sampling.seed === null ? {} : { seed: sampling.seed }),
    // Without the option most servers send no token counts in a stream.
    ...(stream ? { stream, stream_options: { include_usage: true } } : { stream }),
  }
}

/** `/v1/chat/completions`, as every OpenAI-compatible server has it. */
export const chatDialect: Dialect = {
  name: 'chat',
  path: '/chat/completions',
  body: (request) => ({ ...common(request), messages: request.messages }),
  read,
}

/** `/v1/completions`, for base models and servers without a chat template. */
export const completionDialect: Dialect = {
  name: 'completion',
  path: '/completions',
  body: (request) => ({
    ...common(request),
    prompt: request.messages.map((message) => message.content).join('\n\n'),
  }),
  read,
}
