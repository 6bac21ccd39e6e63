import { expect } from 'vitest'
import {
  PROBLEMS,
  type ProblemSlug,
  problemSchema,
  problemSlug,
} from '../../src/protocol/problem.ts'

/** Asserts that a response is the problem document of a slug; answers the document. */
export async function expectProblem(response: Response, slug: ProblemSlug) {
  const text = await response.text()
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{24}$/)
  const problem = problemSchema.parse(JSON.parse(text))
  expect(`${problemSlug(problem)} ${problem.detail ?? ''}`).toMatch(new RegExp(`^${slug} `))
  expect(response.status).toBe(PROBLEMS[slug].status)
  return problem
}
