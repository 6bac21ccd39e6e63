import { OpenAPIHono } from '@hono/zod-openapi'
import { faultsOf } from '../../protocol/problem.ts'
import type { AppEnv } from './context.ts'
import { problemResponse } from './refusals.ts'

/** Every router is made here: a router does not inherit its parent's hook for bodies that do not fit. */
export function newRouter() {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result, c) => {
      if (result.success) return undefined
      // An id that cannot be one names nothing, and looks like any other absent id.
      if (result.target === 'param') return problemResponse(c, { slug: 'not-found' })
      return problemResponse(c, { slug: 'body-invalid', errors: faultsOf(result.error) })
    },
  })
}
