import { z } from 'zod'

const SLUG = '[a-z0-9]+(?:-[a-z0-9]+)*'

/** Category or domain slug. */
export const slugSchema = z
  .string()
  .max(48)
  .regex(new RegExp(`^${SLUG}$`))

/** Epoch id, chosen by the operator, e.g. `open-2026-11`; no slash, since it enters key derivation. */
export const epochIdSchema = z
  .string()
  .min(3)
  .max(64)
  .regex(new RegExp(`^${SLUG}$`))

const INSTANCE_ID = /^failmap__([a-z0-9]+(?:-[a-z0-9]+)*)-([1-9][0-9]{0,3})$/

/** Task id, e.g. `failmap__ttl-off-by-one-unit-17`. */
export const instanceIdSchema = z.string().max(64).regex(INSTANCE_ID)

/** SHA-256 in lower-case hex. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/)

/** Key id: `key_` and the RFC 7638 SHA-256 thumbprint in base64url. */
export const keyIdSchema = z.string().regex(/^key_[A-Za-z0-9_-]{43}$/)

export const organisationIdSchema = z.string().regex(/^org_[0-9a-z]{16,32}$/)
export const submissionIdSchema = z.string().regex(/^sub_[0-9a-f]{40}$/)
export const reportIdSchema = z.string().regex(/^rpt_[0-9a-f]{40}$/)

/** Token id: at least 96 random bits in base64url. */
export const jtiSchema = z.string().regex(/^[A-Za-z0-9_-]{16,64}$/)

/** The id of task `number` (from 1) of a category. */
export const toInstanceId = (category: string, number: number): string =>
  `failmap__${category}-${number}`

/** Category and number of a task id, or undefined when the text is not one. */
export function parseInstanceId(id: string): { category: string; number: number } | undefined {
  const [, category, number] = INSTANCE_ID.exec(id) ?? []
  return category === undefined ? undefined : { category, number: Number(number) }
}

/** Submission id of a manifest: the same signed payload is the same submission, however often sent. */
export const toSubmissionId = (manifestSha256: string): string =>
  `sub_${manifestSha256.slice(0, 40)}`

/** A submission has one report, so the report's id follows from it. */
export const toReportId = (submissionId: string): string => `rpt_${submissionId.slice(4)}`
