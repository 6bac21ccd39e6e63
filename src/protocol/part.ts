import { z } from 'zod'

/** The two parts of an epoch's tasks; a submission aims at one of them. */
export const partSchema = z.enum(['practice', 'sealed'])
export type Part = z.infer<typeof partSchema>
