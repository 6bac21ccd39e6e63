import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { sha256Schema, submissionIdSchema } from '../../protocol/ids.ts'
import { partSchema } from '../../protocol/part.ts'
import { readJsonFile } from '../text-file.ts'
import { writeWhole } from './write-whole.ts'

/** What was signed for a run. Kept before it is sent, so that a retry sends the same manifest. */
const stateSchema = z.strictObject({
  api: z.string(),
  part: partSchema,
  patches_sha256: sha256Schema,
  manifest: z.string(),
  /** Seconds since 1970. */
  expires: z.int(),
  submission: submissionIdSchema,
})
export type SubmissionState = z.infer<typeof stateSchema>

const fileOf = (folder: string): string => path.join(folder, 'submission.json')

export function readSubmissionState(folder: string): SubmissionState | null {
  const file = fileOf(folder)
  return existsSync(file) ? (stateSchema.safeParse(readJsonFile(file)).data ?? null) : null
}

export function saveSubmissionState(folder: string, state: SubmissionState): void {
  writeWhole(fileOf(folder), `${JSON.stringify(state, null, 2)}\n`)
}

export function forgetSubmissionState(folder: string): void {
  rmSync(fileOf(folder), { force: true })
}
