import { failureInside } from './call-failure.ts'
import type { Dialect, ModelRequest } from './dialect.ts'
import type { Draft } from './draft.ts'
import { readAnswerPart, readUsageAlone } from './openai-answer.ts'

function read(value: unknown, draft: Draft, url: string) {
  if (typeof value === 'object' && value !== null && 'error' in value && value.error) {
    return { kind: 'failure', error: failureInside(value.error, url) } as const
  }
  const part = readAnswerPart(value) ?? readUsageAlone(value)
  if (part === null) {
    const error = failureInside('the answer has no "choices"', url)
    return { kind: 'failure', error } as const
  }
  const { model, said, usage } = part
  if (model) draft.servedModel = model
  if (usage !== null) draft.usage = usage
  draft.add(said)
  return { kind: 'more' } as const
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
