import { z } from 'zod'
import { fileDigestSchema } from './epoch.ts'
import { epochIdSchema, jtiSchema, keyIdSchema, organisationIdSchema, sha256Schema } from './ids.ts'
import { secondsSchema } from './instant.ts'
import { LIMITS } from './limits.ts'
import { originSchema } from './origin.ts'
import { partSchema } from './part.ts'
import { displayTextSchema } from './text.ts'

const name = displayTextSchema(LIMITS.nameCharacters)
const count = z.int().min(0)

/** What is known of the model; null is "not known", never a guess and never 0. */
export const modelCardSchema = z.strictObject({
  /** As the user calls it, e.g. `ollama/qwen2.5-coder:7b`. */
  name,
  provider: name.nullable(),
  parameters: count.nullable(),
  quantisation: name.nullable(),
  weights_sha256: sha256Schema.nullable(),
  server: z.strictObject({ name, version: name.nullable() }).nullable(),
  context_length: count.nullable(),
  sampling: z.strictObject({
    temperature: z.number().min(0).max(100).nullable(),
    top_p: z.number().min(0).max(1).nullable(),
    top_k: z.int().min(-1).nullable(),
    seed: z.int().nullable(),
    max_tokens: count.nullable(),
  }),
})
export type ModelCard = z.infer<typeof modelCardSchema>

/** What the submitter signs: who, for which epoch, which bytes, from which model. */
export const manifestSchema = z.strictObject({
  manifest: z.literal(1),
  iss: keyIdSchema,
  aud: originSchema,
  organisation: organisationIdSchema,
  /** `practice` spends a practice run, `sealed` a sealed submission that ends in a report. */
  part: partSchema,
  epoch: z.strictObject({
    id: epochIdSchema,
    /** SHA-256 of the canonical epoch card. */
    card: sha256Schema,
    /** SHA-256 of prompts.jsonl. */
    prompts: sha256Schema,
  }),
  /** Of the identity-coded NDJSON bytes. */
  patches: fileDigestSchema,
  model: modelCardSchema,
  client: z.strictObject({ name, version: name }),
  prompt_version: z.int().min(1),
  iat: secondsSchema,
  exp: secondsSchema,
  jti: jtiSchema,
})
export type Manifest = z.infer<typeof manifestSchema>
