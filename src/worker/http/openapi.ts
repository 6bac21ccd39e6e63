import type { z } from '@hono/zod-openapi'
import { PROBLEMS, type ProblemSlug, problemSchema } from '../../protocol/problem.ts'
import { MEDIA } from '../../protocol/routes.ts'
import { API_VERSION } from '../version.ts'

/** Head of the OpenAPI document. */
export const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'failmap API',
    version: API_VERSION,
    description:
      'Closed-book scores for code models. Every refusal is an application/problem+json document with a slug of a closed list.',
  },
}

/** Names of the two ways to prove who asks. */
export const SECURITY = {
  requestToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'failmap-request+jwt',
    description:
      'Compact JWS by a registered key, for one method, path and body, within five minutes, once.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The OPERATOR_TOKEN of the deployment.',
  },
} as const

/** What a route needs of its caller, for the document. */
export const bySubmitter = [{ requestToken: [] }]
export const byOperator = [{ operatorToken: [] }]

const problem = problemSchema.meta({ id: 'Problem' })

/** A JSON answer for the document, checked against what the handler returns. */
export const json = <T extends z.ZodType>(schema: T, description: string) => ({
  description,
  content: { [MEDIA.json]: { schema } },
})

/** A required JSON body. */
export const jsonBody = <T extends z.ZodType>(schema: T) => ({
  required: true,
  content: { [MEDIA.json]: { schema } },
})

/** The refusals of a route by status, as the document shows them. */
export function refusals(...slugs: ProblemSlug[]) {
  const byStatus = new Map<number, ProblemSlug[]>()
  for (const slug of [...slugs, 'internal' as const]) {
    const { status } = PROBLEMS[slug]
    byStatus.set(status, [...(byStatus.get(status) ?? []), slug])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, named]) => [
      status,
      { description: named.join(', '), content: { [MEDIA.problem]: { schema: problem } } },
    ]),
  )
}
