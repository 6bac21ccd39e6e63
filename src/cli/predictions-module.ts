import type { NoAnswerReason } from '../protocol/patch.ts'
import type { Prompt } from '../protocol/prompt.ts'
import { replyToModule } from './model/reply.ts'
import { canonicalModule, fileDefect } from './model/reply-text.ts'

export type PredictedModule =
  | { module: string; notes: string[] }
  | { module: null; reason: Exclude<NoAnswerReason, 'not_run'>; notes: string[] }

/**
 * Full module text of one prediction: a diff is applied to the prompt's module, wrapping that a
 * harness left on is taken off, and text that holds no such form is sent as it is, since it was
 * meant to be the module and only the judge decides what it is worth.
 */
export function predictionToModule(text: string | null, prompt: Prompt): PredictedModule {
  if (text === null || text.trim() === '') return { module: null, reason: 'empty', notes: [] }
  const outcome = replyToModule(text, { module: prompt.module, entryPoint: prompt.entry_point })
  if (outcome.module !== null) return { module: outcome.module, notes: outcome.notes }
  if (outcome.status === 'no_code' || outcome.status === 'bad_source') {
    const module = canonicalModule(text)
    const defect = fileDefect(module)
    if (defect === null) return { module, notes: ['sent_as_it_is'] }
    const reason = defect.startsWith('over_') ? 'too_large' : 'bad_source'
    return { module: null, reason, notes: [defect] }
  }
  const reason =
    outcome.status === 'ok' || outcome.status === 'unchanged' ? 'empty' : outcome.status
  return { module: null, reason, notes: outcome.notes }
}
