import { z } from 'zod'
import { failureInside } from './call-failure.ts'
import type { Dialect } from './dialect.ts'

const answerSchema = z.object({
  model: z.string().nullish().catch(null),
  message: z
    .object({
      content: z.string().nullish().catch(null),
      thinking: z.string().nullish().catch(null),
      tool_calls: z.array(z.unknown()).nullish().catch(null),
    })
    .nullish(),
  done: z.boolean(),
  done_reason: z.string().nullish().catch(null),
  prompt_eval_count: z.number().nullish().catch(null),
  eval_count: z.number().nullish().catch(null),
})

/**
 * Ollama's own `/api/chat`.
 *
 * Its OpenAI-compatible endpoint has no field for the context length, and the server's default
 * silently cuts the front off a longer prompt.
 */
export const ollamaDialect: Dialect = {
  name: 'ollama',
  path: '/api/chat',
  body: ({ model, messages, maxTokens, sampling, numCtx, stream }) => ({
    model,
    messages,
    stream,
    options: {
      num_predict: maxTokens,
      temperature: sampling.temperature,
      ...(sampling.topP === null ? {} : { top_p: sampling.topP }),
      ...(sampling.seed === null ? {} : { seed: sampling.seed }),
      ...(numCtx === null ? {} : { num_ctx: numCtx }),
    },
  }),
  read(value, draft, url) {
    if (typeof value === 'object' && value !== null && 'error' in value && value.error) {
      return { kind: 'failure', error: failureInside(value.error, url) }
    }
    const answer = answerSchema.safeParse(value)
    if (!answer.success) {
      return { kind: 'failure', error: failureInside('the answer has no "done"', url) }
    }
    const { model, message, done, done_reason, prompt_eval_count, eval_count } = answer.data
    if (model) draft.servedModel = model
    draft.add([
      {
        number: null,
        content: message?.content ?? null,
        reasoning: message?.thinking ?? null,
        finishReason: done ? (done_reason ?? 'stop') : null,
        callsTools: (message?.tool_calls ?? []).length > 0,
      },
    ])
    if (!done) return { kind: 'more' }
    const promptTokens = prompt_eval_count ?? null
    const completionTokens = eval_count ?? null
    if (promptTokens !== null || completionTokens !== null) {
      draft.usage = { promptTokens, completionTokens }
    }
    return { kind: 'end' }
  },
}
