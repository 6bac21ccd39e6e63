import { z } from 'zod'
import { isolationSchema, runtimeSchema } from './tally.ts'

/** `GET /health` of the API. `time` lets a client compare clocks before it signs. */
export const healthSchema = z.strictObject({
  status: z.enum(['ok', 'degraded']),
  api: z.string(),
  protocol: z.int(),
  environment: z.string(),
  /** Seconds since 1970. */
  time: z.int().min(0),
  /** Null while the sandbox does not answer. */
  sandbox: z
    .strictObject({ corpus: z.string(), runtime: runtimeSchema, isolation: isolationSchema })
    .nullable(),
})
export type Health = z.infer<typeof healthSchema>
