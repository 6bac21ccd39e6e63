import { z } from 'zod'
import { instanceIdSchema } from './ids.ts'
import { LIMITS } from './limits.ts'
import { textSchema } from './text.ts'

/** Why a task has no patch, as the client saw it; each one counts as not fixed. */
export const noAnswerReasonSchema = z.enum([
  'not_run',
  'empty',
  'no_code',
  'ambiguous',
  'placeholder',
  'truncated',
  'apply_failed',
  'bad_source',
  'too_large',
  'backend_error',
])
export type NoAnswerReason = z.infer<typeof noAnswerReasonSchema>

const answeredSchema = z.strictObject({
  instance_id: instanceIdSchema,
  module: textSchema(LIMITS.moduleBytes),
})
const unansweredSchema = z.strictObject({
  instance_id: instanceIdSchema,
  module: z.null(),
  reason: noAnswerReasonSchema,
})

/** One line of the patches: the full module text, or null and why there is none. */
export const patchSchema = z.union(
  [answeredSchema, unansweredSchema],
  'must have a module text, or the module null and a reason of the list',
)
export type Patch = z.infer<typeof patchSchema>
