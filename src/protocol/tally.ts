import { z } from 'zod'
import { epochIdSchema, sha256Schema, slugSchema, submissionIdSchema } from './ids.ts'

const count = z.int().min(0)

/** Version of the wire between API and sandbox. */
export const PROTOCOL_VERSION = 1

/** The six buckets; every task is in exactly one, so they sum to `tasks`. */
export const BUCKETS = ['fixed', 'wrong', 'crashed', 'timed_out', 'invalid', 'no_answer'] as const
export type Bucket = (typeof BUCKETS)[number]

/** Counts of one part of a shard. Sums over tasks; nothing about any single one. */
export const countsSchema = z.strictObject({
  tasks: count,
  /** Passes every visible and every hidden check. */
  fixed: count,
  wrong: count,
  crashed: count,
  timed_out: count,
  /** Does not load, or is over a limit. */
  invalid: count,
  no_answer: count,
  visible_passed: count,
  /** Tasks where a hidden check that the faulty module passes fails now. */
  regressed: count,
  /** Tasks whose patch behaves like a known-failing patch. */
  trapped: count,
  faults_injected: count,
  faults_mended: count,
  lines_changed: count,
  /** Lines that had to change, over the same tasks as `lines_changed`. */
  lines_needed: count,
})
export type Counts = z.infer<typeof countsSchema>

/** Every key of the counts, in the order of the shape. */
export const COUNT_KEYS: readonly (keyof Counts)[] = [
  'tasks',
  ...BUCKETS,
  'visible_passed',
  'regressed',
  'trapped',
  'faults_injected',
  'faults_mended',
  'lines_changed',
  'lines_needed',
]

const controlSchema = z.strictObject({ run: count, held: count })

/** Hidden probes among the patches: reference must pass, the other two must fail. */
export const controlsSchema = z.strictObject({
  reference: controlSchema,
  known_failing: controlSchema,
  unsolvable: controlSchema,
})
export type Controls = z.infer<typeof controlsSchema>

/** How the sandbox confines a patch: `S` namespaces, `L` without them, `unsafe` not at all. */
export const isolationSchema = z.strictObject({
  profile: z.enum(['S', 'L', 'unsafe']),
  landlock_abi: count.nullable(),
  user_namespace: z.boolean(),
  /** SHA-256 of the system call filter. */
  seccomp: sha256Schema.nullable(),
  self_tests: z.strictObject({ run: count, held: count }),
})
export type Isolation = z.infer<typeof isolationSchema>

/** What judged: the interpreter and the SHA-256 of the sandbox's sources. */
export const runtimeSchema = z.strictObject({
  python: z
    .string()
    .max(32)
    .regex(/^\d+\.\d+\.\d+[a-z0-9.+]*$/),
  sandbox: sha256Schema,
})
export type Runtime = z.infer<typeof runtimeSchema>

/** All that leaves the sandbox for one shard. */
export const tallySchema = z.strictObject({
  protocol: z.literal(PROTOCOL_VERSION),
  corpus: sha256Schema,
  epoch: epochIdSchema,
  submission: submissionIdSchema,
  category: slugSchema,
  runtime: runtimeSchema,
  isolation: isolationSchema,
  controls: controlsSchema,
  parts: z.strictObject({ practice: countsSchema, sealed: countsSchema }),
})
export type Tally = z.infer<typeof tallySchema>

/** `GET /health` of the sandbox. */
export const sandboxHealthSchema = z.strictObject({
  status: z.literal('ok'),
  protocol: z.int(),
  corpus: sha256Schema,
  runtime: runtimeSchema,
  isolation: isolationSchema,
})
export type SandboxHealth = z.infer<typeof sandboxHealthSchema>
