import { z } from 'zod'
import {
  epochIdSchema,
  keyIdSchema,
  organisationIdSchema,
  reportIdSchema,
  submissionIdSchema,
} from './ids.ts'
import { instantSchema } from './instant.ts'
import { LIMITS } from './limits.ts'
import { partSchema } from './part.ts'
import { practiceScoresSchema } from './practice.ts'
import { nameSchema } from './text.ts'

/** `open` -> `received` -> `judging` -> `scored`, or `incomplete` (ours) or `cancelled` (theirs). */
export const submissionStateSchema = z.enum([
  'open',
  'received',
  'judging',
  'scored',
  'incomplete',
  'cancelled',
])
export type SubmissionState = z.infer<typeof submissionStateSchema>

/** Why a submission ended without a score; its place in the budget is given back, as decision 0022 says. */
export const endReasonSchema = z.enum([
  'sandbox_failed',
  'controls_failed',
  'versions_differ',
  'upload_abandoned',
  'withdrawn',
])
export type EndReason = z.infer<typeof endReasonSchema>

const jws = z.string().min(1).max(LIMITS.jwsBytes)

/** `POST /v1/keys`: a new organisation, or (with a request token) one more key of the caller's. */
export const registerKeySchema = z.strictObject({
  organisation: nameSchema.optional(),
  /** Checked by `readPublicJwk`, which says what is wrong with a key. */
  jwk: z.record(z.string(), z.unknown()),
  proof: jws,
})
export type RegisterKey = z.infer<typeof registerKeySchema>

export const registeredKeySchema = z.strictObject({
  organisation: organisationIdSchema,
  key: keyIdSchema,
})
export type RegisteredKey = z.infer<typeof registeredKeySchema>

/** `POST /v1/submissions`. */
export const openSubmissionSchema = z.strictObject({ manifest: jws })
export type OpenSubmission = z.infer<typeof openSubmissionSchema>

export const openedSubmissionSchema = z.strictObject({
  submission: submissionIdSchema,
  state: submissionStateSchema,
})
export type OpenedSubmission = z.infer<typeof openedSubmissionSchema>

const count = z.int().min(0)

/** `GET /v1/submissions/{id}`: progress in shards, which says nothing about any verdict. */
export const submissionViewSchema = z.strictObject({
  id: submissionIdSchema,
  epoch: epochIdSchema,
  part: partSchema,
  state: submissionStateSchema,
  reason: endReasonSchema.optional(),
  shards: z.strictObject({ total: count, done: count }),
  created_at: instantSchema,
  /** When the report can be read at the earliest, where the epoch fixes that. */
  release_at: instantSchema.optional(),
  report: reportIdSchema.optional(),
  practice: practiceScoresSchema.optional(),
})
export type SubmissionView = z.infer<typeof submissionViewSchema>

/** `GET /v1/submissions`: the caller's own, newest first. */
export const submissionListSchema = z.strictObject({ submissions: z.array(submissionViewSchema) })
export type SubmissionList = z.infer<typeof submissionListSchema>
