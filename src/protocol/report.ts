import { z } from 'zod'
import { fileDigestSchema } from './epoch.ts'
import {
  epochIdSchema,
  keyIdSchema,
  organisationIdSchema,
  reportIdSchema,
  sha256Schema,
  slugSchema,
  submissionIdSchema,
} from './ids.ts'
import { instantSchema } from './instant.ts'
import { modelCardSchema } from './manifest.ts'
import { DOMAIN_SLUGS } from './map.ts'
import { originSchema } from './origin.ts'
import { policySchema } from './policy-data.ts'
import { controlsSchema, countsSchema, isolationSchema, runtimeSchema } from './tally.ts'
import { displayTextSchema, nameSchema } from './text.ts'

const count = z.int().min(0)
const share = z.number().min(0).max(1)

/** `count` of `of` as a share with its 95 % Wilson interval; null shares where `of` is 0. */
export const rateSchema = z.strictObject({
  count,
  of: count,
  rate: share.nullable(),
  low: share.nullable(),
  high: share.nullable(),
})
export type Rate = z.infer<typeof rateSchema>

/** Share of tasks that pass every visible check and fail a hidden one; `se` with design effect. */
export const gapSchema = rateSchema.extend({ se: share.nullable() })
export type Gap = z.infer<typeof gapSchema>

/** Lines changed over lines that had to change: 1 is a precise repair, more is rewriting. */
export const precisionSchema = z.strictObject({
  lines_changed: count,
  lines_needed: count,
  ratio: z.number().min(0).nullable(),
})
export type Precision = z.infer<typeof precisionSchema>

/** Why a cell shows no rate. `not_built`: the epoch has no such category. */
export const suppressionSchema = z.enum(['few_tasks', 'few_answers', 'not_built'])
export type Suppression = z.infer<typeof suppressionSchema>

const hiddenCellSchema = z.strictObject({
  shown: z.literal(false),
  tasks: count,
  /** Tasks for which a patch was submitted; known to the submitter, so never withheld. */
  answered: count,
  why: suppressionSchema,
})

const shownCellSchema = z.strictObject({
  shown: z.literal(true),
  tasks: count,
  answered: count,
  counts: countsSchema,
  /** tasks / (tasks / design effect): how much wider the intervals are than for independent tasks. */
  deff: z.number().min(1),
  fixed: rateSchema,
  visible: rateSchema,
  gap: gapSchema,
  /** Of the tasks that pass every visible check, those that fail a hidden one. */
  overfit: rateSchema,
  regressed: rateSchema,
  trapped: rateSchema,
  /** Of the injected faults, those mended. */
  faults: rateSchema,
  precision: precisionSchema,
})

/** Numbers of the sealed tasks of a category, a domain or the map, or why there are none. */
export const cellSchema = z.discriminatedUnion('shown', [shownCellSchema, hiddenCellSchema])
export type Cell = z.infer<typeof cellSchema>
export type ShownCell = z.infer<typeof shownCellSchema>

/** A category against the mean of the others, by Benjamini-Hochberg; never a rank. */
export const standingSchema = z.enum(['weaker', 'stronger', 'unresolved', 'untested'])
export type Standing = z.infer<typeof standingSchema>

/** One category of the report. `p_weaker`, `p_stronger`: one-sided, to 4 digits. */
export const categoryScoreSchema = z.strictObject({
  slug: slugSchema,
  title: z.string(),
  domain: z.enum(DOMAIN_SLUGS),
  cell: cellSchema,
  standing: standingSchema,
  p_weaker: share.nullable(),
  p_stronger: share.nullable(),
})
export type CategoryScore = z.infer<typeof categoryScoreSchema>

export const domainScoreSchema = z.strictObject({
  slug: z.enum(DOMAIN_SLUGS),
  title: z.string(),
  categories_built: count,
  cell: cellSchema,
})
export type DomainScore = z.infer<typeof domainScoreSchema>

/** The signed payload: everything that a reader needs to judge the numbers without asking us. */
export const reportSchema = z.strictObject({
  report: z.literal(1),
  id: reportIdSchema,
  /** Origin of the API that signed. */
  iss: originSchema,
  epoch: z.strictObject({
    id: epochIdSchema,
    title: displayTextSchema(200),
    card: sha256Schema,
    prompts: sha256Schema,
    drawing: sha256Schema,
    commitment: sha256Schema,
    opens_at: instantSchema,
    closes_at: instantSchema,
    practice: count,
    sealed: count,
    categories: count,
  }),
  policy: policySchema,
  submission: z.strictObject({
    id: submissionIdSchema,
    organisation: organisationIdSchema,
    organisation_name: nameSchema.nullable(),
    key: keyIdSchema,
    /** SHA-256 of the signed manifest payload. */
    manifest: sha256Schema,
    patches: fileDigestSchema,
    /** `iat` of the manifest; a report carries no time of its own, so that it is reproducible. */
    signed_at: instantSchema,
  }),
  model: modelCardSchema,
  client: z.strictObject({ name: z.string(), version: z.string() }),
  prompt_version: count,
  /** Submissions of the organisation in this epoch; null where the epoch has no budget. */
  usage: z.strictObject({ practice: count, sealed: count }).nullable(),
  statistics: z.strictObject({
    part: z.literal('sealed'),
    interval: z.literal('wilson-95'),
    rho: z.number(),
    cluster: count,
    /** Rho is an assumption, not an estimate: only counts leave the sandbox. */
    rho_source: z.literal('assumed'),
    weaknesses: z.literal('benjamini-hochberg'),
    q: z.number(),
    tested: count,
  }),
  /** Public categories only. */
  overall: cellSchema,
  domains: z.array(domainScoreSchema).length(16),
  /** All 256 cells of the map in map order. */
  categories: z.array(categoryScoreSchema).length(256),
  /** An operator's private categories, apart from the public score. */
  overlay: z
    .strictObject({ overall: cellSchema, categories: z.array(categoryScoreSchema) })
    .nullable(),
  /** How many built categories show no rate, by reason. */
  suppressed: z.strictObject({ few_tasks: count, few_answers: count }),
  controls: controlsSchema,
  /** Every setting that judged a shard, with its number of shards. */
  isolation: z.array(isolationSchema.extend({ shards: count })).min(1),
  code: z.strictObject({
    corpus: sha256Schema,
    runtimes: z.array(runtimeSchema.extend({ shards: count })).min(1),
    api: displayTextSchema(64),
    protocol: count,
  }),
})
export type Report = z.infer<typeof reportSchema>
