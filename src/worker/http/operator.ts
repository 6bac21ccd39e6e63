import { createHash, timingSafeEqual } from 'node:crypto'
import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './context.ts'
import { refuse } from './refusals.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Lets the operator through. Digests are compared, so that neither length nor prefix shows in time. */
export const operator = () =>
  createMiddleware<AppEnv>(async function operator(c, next) {
    const expected = digest(`Bearer ${c.var.deps.settings.operatorToken}`)
    if (!timingSafeEqual(digest(c.req.header('authorization') ?? ''), expected)) {
      refuse('unauthorized')
    }
    await next()
  })
