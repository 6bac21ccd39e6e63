import { z } from 'zod'

/** `open`: all is revealed; `live`: released at the close; `room`: a buyer's own, one attempt. */
export const epochKindSchema = z.enum(['open', 'live', 'room'])
export type EpochKind = z.infer<typeof epochKindSchema>

/** No rate over fewer tasks leaves a live epoch or a room, whatever its card says. */
export const SMALLEST_CELL = 40

/** The release policy as data of the epoch card. A null budget is unlimited. */
export const policySchema = z
  .strictObject({
    version: z.literal('failmap-policy-1'),
    kind: epochKindSchema,
    practice: z.strictObject({
      /** Practice runs per organisation and epoch. */
      budget: z.int().min(0).nullable(),
      /** Grid of the practice score over all tasks, in points. */
      overall_step: z.int().min(1).max(50),
      /** Grid of the practice score of a domain, in points. */
      domain_step: z.int().min(1).max(50),
    }),
    sealed: z.strictObject({
      /** Sealed submissions per organisation and epoch. */
      budget: z.int().min(0).nullable(),
      release: z.enum(['on_scoring', 'after_close']),
      /** From the close to the release: time to judge the last submission before anyone reads. */
      delay_seconds: z.int().min(0),
    }),
    /** Fewest tasks, and fewest answered tasks, of a cell that shows a rate. */
    min_cell: z.int().min(1),
    /** Intra-cluster correlation assumed for intervals, and the assumed tasks of a cluster. */
    rho: z.number().min(0).max(0.5),
    cluster: z.int().min(1),
    /** False discovery rate of the weaknesses, in percent. */
    weakness_percent: z.int().min(1).max(50),
  })
  .refine((policy) => policy.kind === 'open' || policy.min_cell >= SMALLEST_CELL, {
    message: `must be at least ${SMALLEST_CELL} outside open epochs`,
    path: ['min_cell'],
  })
  .refine((policy) => policy.kind !== 'live' || policy.sealed.release === 'after_close', {
    message: 'must be after_close in a live epoch',
    path: ['sealed', 'release'],
  })
export type Policy = z.infer<typeof policySchema>

// rho .1 in clusters of 10 is the assumption until anchor models measure it: a design effect of 1.9.
const SHARED = {
  version: 'failmap-policy-1',
  rho: 0.1,
  cluster: 10,
  weakness_percent: 10,
} as const

/** The policy that an epoch of a kind gets when it is opened. */
export const POLICIES: Readonly<Record<EpochKind, Policy>> = {
  open: {
    ...SHARED,
    kind: 'open',
    practice: { budget: null, overall_step: 1, domain_step: 5 },
    sealed: { budget: null, release: 'on_scoring', delay_seconds: 0 },
    min_cell: 1,
  },
  live: {
    ...SHARED,
    kind: 'live',
    practice: { budget: 20, overall_step: 1, domain_step: 5 },
    sealed: { budget: 3, release: 'after_close', delay_seconds: 24 * 3600 },
    min_cell: SMALLEST_CELL,
  },
  room: {
    ...SHARED,
    kind: 'room',
    practice: { budget: 0, overall_step: 1, domain_step: 5 },
    sealed: { budget: 1, release: 'on_scoring', delay_seconds: 0 },
    min_cell: SMALLEST_CELL,
  },
}
