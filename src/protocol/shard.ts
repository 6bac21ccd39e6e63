import { z } from 'zod'
import {
  epochIdSchema,
  instanceIdSchema,
  sha256Schema,
  slugSchema,
  submissionIdSchema,
} from './ids.ts'
import { LIMITS } from './limits.ts'
import { PROTOCOL_VERSION } from './tally.ts'
import { textSchema } from './text.ts'

const partSize = z.int().min(0).max(LIMITS.tasksPerPart)

/** `POST /shards` of the sandbox: the patches of one submission in one category. */
export const shardRequestSchema = z.strictObject({
  protocol: z.literal(PROTOCOL_VERSION),
  corpus: sha256Schema,
  epoch: z.strictObject({
    id: epochIdSchema,
    /** Root key, 32 bytes in base64url; from a secret binding, never from storage. */
    key: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
    practice: partSize,
    sealed: partSize,
  }),
  category: slugSchema,
  counters: z.array(z.int().min(0)),
  submission: submissionIdSchema,
  /** Any order; a task without an entry has no answer. */
  patches: z.array(
    z.strictObject({
      instance_id: instanceIdSchema,
      module: textSchema(LIMITS.moduleBytes).nullable(),
    }),
  ),
})
export type ShardRequest = z.infer<typeof shardRequestSchema>

/** Queue message: ids and digests only, so that a queue never holds a patch. */
export const workMessageSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    v: z.literal(1),
    kind: z.literal('shard'),
    submission: submissionIdSchema,
    category: slugSchema,
    /** SHA-256 of the stored patches of this category. */
    digest: sha256Schema,
  }),
  z.strictObject({ v: z.literal(1), kind: z.literal('close'), submission: submissionIdSchema }),
])
export type WorkMessage = z.infer<typeof workMessageSchema>
