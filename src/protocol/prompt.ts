import { z } from 'zod'
import { instanceIdSchema, slugSchema } from './ids.ts'
import { DOMAIN_SLUGS } from './map.ts'
import { partSchema } from './part.ts'

/** A visible check: as data for the runner, as a readable assert, and what it must observe. */
export const visibleCheckSchema = z.strictObject({
  check: z.json(),
  assert: z.string(),
  expected: z.json(),
})

/** One line of prompts.jsonl: all that a model is given about a task. */
export const promptSchema = z.strictObject({
  instance_id: instanceIdSchema,
  domain: z.enum(DOMAIN_SLUGS),
  category: slugSchema,
  part: partSchema,
  entry_point: z.string().min(1),
  contract: z.array(z.string().min(1)).min(1),
  /** The faulty module's text. */
  module: z.string().min(1),
  visible: z.array(visibleCheckSchema),
  /** The text for the model. */
  prompt: z.string().min(1),
  prompt_version: z.int().min(1),
})
export type Prompt = z.infer<typeof promptSchema>
