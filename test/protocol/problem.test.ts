import { describe, expect, test } from 'vitest'
import { LIMITS } from '../../src/protocol/limits.ts'
import { manifestSchema } from '../../src/protocol/manifest.ts'
import { patchSchema } from '../../src/protocol/patch.ts'
import {
  faultsOf,
  PROBLEM_SLUGS,
  PROBLEMS,
  problemSchema,
  problemSlug,
  toProblem,
} from '../../src/protocol/problem.ts'
import { readShape } from '../../src/protocol/shape.ts'

const ID = 'failmap__ttl-off-by-one-unit-17'

describe('the problems', () => {
  test('have a fitting status, a title and a next step for each slug', () => {
    for (const slug of PROBLEM_SLUGS) {
      const { status, title, next } = PROBLEMS[slug]
      expect(status >= 400 && status < 600, slug).toBe(true)
      expect(slug).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(title.length * next.length).toBeGreaterThan(0)
    }
  })
  test('become documents whose slug can be read back from any origin', () => {
    for (const slug of PROBLEM_SLUGS) {
      const problem = toProblem({ slug, detail: 'why', errors: [] }, 'https://api.example', 'req_1')
      expect(problemSchema.parse(problem)).toEqual(problem)
      expect(problem.type).toBe(`https://api.example/problems/${slug}`)
      expect(problemSlug(problem)).toBe(slug)
    }
    expect(problemSlug({ type: 'about:blank' })).toBeUndefined()
    expect(problemSlug({ type: 'https://x/problems/constructor' })).toBeUndefined()
  })
  test('leave out what is not known', () => {
    const keys = Object.keys(toProblem({ slug: 'internal' }, 'https://api.example'))
    expect(keys).toEqual(['type', 'title', 'status'])
  })
  test('name places of a body, never its values (R04)', () => {
    const marker = 'MARKER-3f9a'
    const read = readShape(
      JSON.stringify({ instance_id: marker, module: marker, [marker]: marker, 'a/b~c': 1 }),
      patchSchema.options[0],
    )
    if (read.ok) throw new Error('accepted')
    expect(read.error.errors?.map(({ pointer }) => pointer)).toContain('/instance_id')
    expect(JSON.stringify(read)).not.toContain(marker)
  })
  test('list a bounded number of places', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 1]))
    const parsed = manifestSchema.safeParse(many)
    expect(parsed.error && faultsOf(parsed.error).length).toBeLessThanOrEqual(LIMITS.listedFaults)
  })
})

describe('readShape', () => {
  test('tells bad JSON from a bad shape', () => {
    const slug = (text: string) => {
      const read = readShape(text, patchSchema)
      return read.ok ? 'read' : read.error.slug
    }
    expect(slug('{"instance_id":1,"instance_id":2}')).toBe('json-invalid')
    expect(slug('{"__proto__":{}}')).toBe('json-invalid')
    expect(slug('{}')).toBe('body-invalid')
    expect(slug(JSON.stringify({ instance_id: ID, module: 'x' }))).toBe('read')
  })
})
