import { z } from 'zod'
import { epochIdSchema, submissionIdSchema } from './ids.ts'
import { DOMAIN_SLUGS } from './map.ts'

const points = z.int().min(0).max(100).nullable()

/** What a practice run shows: points on a coarse grid, always all 16 domains, never signed. */
export const practiceScoresSchema = z.strictObject({
  practice: z.literal(1),
  citable: z.literal(false),
  epoch: epochIdSchema,
  submission: submissionIdSchema,
  /** Null where fewer tasks than the smallest cell exist. */
  overall: points,
  domains: z.array(z.strictObject({ slug: z.enum(DOMAIN_SLUGS), points })).length(16),
})
export type PracticeScores = z.infer<typeof practiceScoresSchema>
