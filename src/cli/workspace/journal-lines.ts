import { z } from 'zod'
import { epochIdSchema, instanceIdSchema, sha256Schema } from '../../protocol/ids.ts'

/** All that decides what an answer is. Two answers belong together only if these are equal. */
export const settingsSchema = z.strictObject({
  source: z.enum(['model', 'baseline', 'replies', 'predictions']),
  model: z.string(),
  /** Weights, where the server tells. */
  model_digest: z.string().nullable(),
  endpoint: z.enum(['chat', 'completion', 'ollama']).nullable(),
  system: z.string().nullable(),
  temperature: z.number().nullable(),
  top_p: z.number().nullable(),
  seed: z.int().nullable(),
  max_tokens: z.int().nullable(),
  num_ctx: z.int().nullable(),
  time_limit_seconds: z.number().nullable(),
  /** Modules that a baseline may try for one task. */
  max_checks: z.int().nullable(),
})
export type Settings = z.infer<typeof settingsSchema>

export const headerSchema = z.strictObject({
  journal: z.literal(1),
  run: z.string(),
  created_at: z.string(),
  epoch: z.strictObject({ id: epochIdSchema, prompts: sha256Schema }),
  settings: settingsSchema,
  settings_sha256: sha256Schema,
})
export type Header = z.infer<typeof headerSchema>

/** What was made of a reply: can be made again from the reply at any time. */
export const readingSchema = z.strictObject({
  status: z.enum([
    'ok',
    'unchanged',
    'empty',
    'no_code',
    'ambiguous',
    'placeholder',
    'truncated',
    'apply_failed',
    'bad_source',
    'too_large',
    'backend_error',
  ]),
  cause: z.string().nullable(),
  module: z.string().nullable(),
  notes: z.array(z.string()),
})
export type Reading = z.infer<typeof readingSchema>

/** What the model gave: the part that costs hours. */
export const replySchema = z.strictObject({
  instance_id: instanceIdSchema,
  /** The model's text, untouched. */
  reply: z.string(),
  finish_reason: z.string().nullable(),
  /** Null where the server does not report usage. */
  usage: z
    .strictObject({
      prompt_tokens: z.number().nullable(),
      completion_tokens: z.number().nullable(),
    })
    .nullable(),
  reasoning_characters: z.int(),
  max_tokens: z.int().nullable(),
  attempts: z.int(),
  latency_ms: z.int(),
  answered_at: z.string(),
})
export type Reply = z.infer<typeof replySchema>
/** The reply in a line that may hold its reading too. */
export const keptReplySchema = z.object(replySchema.shape)
export const answerSchema = z.strictObject({ ...replySchema.shape, ...readingSchema.shape })
export type Answer = z.infer<typeof answerSchema>
export type AnswerStatus = Answer['status']

/** The reading of a reply that was kept before. */
export const laterReadingSchema = z.strictObject({ read: instanceIdSchema, ...readingSchema.shape })

/** Something learned about the server during the run, kept once. */
export const factSchema = z.strictObject({ fact: z.string(), value: z.json() })
/** Takes answers back: their tasks are open again. */
export const reopenSchema = z.strictObject({ reopen: z.array(instanceIdSchema), why: z.string() })

/** Only what the index needs is looked at here; an answer is checked whole when it is read. */
export const indexSchema = z.looseObject({
  instance_id: instanceIdSchema,
  reply: z.string(),
  status: readingSchema.shape.status.optional(),
})
export const laterIndexSchema = z.looseObject({
  read: instanceIdSchema,
  status: readingSchema.shape.status,
})
