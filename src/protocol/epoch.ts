import { z } from 'zod'
import { epochIdSchema, sha256Schema, slugSchema } from './ids.ts'
import { instantSchema, toSeconds } from './instant.ts'
import { LIMITS } from './limits.ts'
import { DOMAIN_SLUGS, findCategory } from './map.ts'
import { epochKindSchema, policySchema } from './policy-data.ts'
import { titleSchema } from './text.ts'

const partSizeSchema = z.int().min(0).max(LIMITS.tasksPerPart)

/** Digest and size of a file. `count` is its number of lines. */
export const fileDigestSchema = z.strictObject({
  sha256: sha256Schema,
  bytes: z.int().min(0),
  count: z.int().min(0),
})
export type FileDigest = z.infer<typeof fileDigestSchema>

const drawnCategorySchema = z.strictObject({
  slug: slugSchema,
  domain: z.enum(DOMAIN_SLUGS),
  origin: z.enum(['public', 'overlay']),
})

/** What `tasks export` writes beside the prompts: how each task of the epoch was drawn. */
export const drawingSchema = z
  .strictObject({
    drawing: z.literal(1),
    epoch: epochIdSchema,
    practice: partSizeSchema,
    sealed: partSizeSchema.min(1),
    corpus: sha256Schema,
    prompt_version: z.int().min(1),
    prompts: fileDigestSchema,
    commitment: sha256Schema,
    categories: z
      .array(drawnCategorySchema.extend({ counters: z.array(z.int().min(0)) }))
      .min(1)
      .max(LIMITS.categoriesPerEpoch),
  })
  .superRefine((drawing, context) => {
    const perCategory = drawing.practice + drawing.sealed
    const fault = (message: string, path: (string | number)[]) =>
      context.addIssue({ code: 'custom', message, path })
    if (drawing.prompts.count !== perCategory * drawing.categories.length) {
      fault('is not categories times tasks', ['prompts', 'count'])
    }
    const seen = new Set<string>()
    for (const [index, { slug, domain, origin, counters }] of drawing.categories.entries()) {
      const at = (key: string) => ['categories', index, key]
      if (seen.has(slug)) fault('appears twice', at('slug'))
      seen.add(slug)
      if (counters.length !== perCategory) fault('is not one counter per task', at('counters'))
      if (origin === 'public' && findCategory(slug)?.domain !== domain) {
        fault('is not a category of the map', at('slug'))
      }
    }
  })
export type Drawing = z.infer<typeof drawingSchema>

/** What the operator states to open an epoch; the root key is never part of it. */
export const epochDraftSchema = z
  .strictObject({
    kind: epochKindSchema,
    title: titleSchema,
    opens_at: instantSchema,
    closes_at: instantSchema,
    drawing: drawingSchema,
  })
  .refine((draft) => toSeconds(draft.opens_at) < toSeconds(draft.closes_at), {
    message: 'must be later than opens_at',
    path: ['closes_at'],
  })
export type EpochDraft = z.infer<typeof epochDraftSchema>

/** The public description of an epoch; it never changes, and its digest names it. */
export const epochCardSchema = z.strictObject({
  card: z.literal(1),
  id: epochIdSchema,
  kind: epochKindSchema,
  title: titleSchema,
  opens_at: instantSchema,
  closes_at: instantSchema,
  practice: partSizeSchema,
  sealed: partSizeSchema,
  /** SHA-256 of the task generators' sources. */
  corpus: sha256Schema,
  /** SHA-256 of the canonical drawing, which is revealed with the root key. */
  drawing: sha256Schema,
  prompt_version: z.int().min(1),
  prompts: fileDigestSchema,
  /** SHA-256("failmap/commit/v1" || id || root key): fixed before the epoch opens. */
  commitment: sha256Schema,
  policy: policySchema,
  /** In the order of the prompts. */
  categories: z.array(drawnCategorySchema).min(1).max(LIMITS.categoriesPerEpoch),
})
export type EpochCard = z.infer<typeof epochCardSchema>

export const epochPhaseSchema = z.enum(['upcoming', 'open', 'closed'])
export type EpochPhase = z.infer<typeof epochPhaseSchema>

/** Where an epoch stands at a moment; `closes_at` itself is closed. */
export function epochPhase(
  card: Pick<EpochCard, 'opens_at' | 'closes_at'>,
  nowSeconds: number,
): EpochPhase {
  if (nowSeconds < toSeconds(card.opens_at)) return 'upcoming'
  return nowSeconds < toSeconds(card.closes_at) ? 'open' : 'closed'
}

/** Answer of `GET /v1/epochs/{id}`. */
export const epochViewSchema = z.strictObject({
  card: epochCardSchema,
  /** SHA-256 of the canonical card. */
  card_sha256: sha256Schema,
  phase: epochPhaseSchema,
  /** When sealed numbers are released, or null when they are as soon as they are scored. */
  release_at: instantSchema.nullable(),
  /** The root key in base64url once it is revealed. */
  root: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/)
    .nullable(),
})
export type EpochView = z.infer<typeof epochViewSchema>

/** Answer of `GET /v1/epochs`, newest first. */
export const epochListSchema = z.strictObject({
  epochs: z.array(
    z.strictObject({
      id: epochIdSchema,
      kind: epochKindSchema,
      title: titleSchema,
      opens_at: instantSchema,
      closes_at: instantSchema,
      phase: epochPhaseSchema,
      card_sha256: sha256Schema,
      categories: z.int().min(1),
      tasks: z.int().min(1),
    }),
  ),
})
export type EpochList = z.infer<typeof epochListSchema>
