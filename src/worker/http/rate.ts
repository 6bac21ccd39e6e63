import { createMiddleware } from 'hono/factory'
import type { MaybeSignedEnv, SignedEnv } from './context.ts'
import { refuse } from './refusals.ts'

/** The address as the edge saw it; a client cannot set this header. All that have none share one rate. */
const ADDRESS = 'cf-connecting-ip'

/** Slows registrations from one address: each one is a row, and each organisation has budgets of its own. */
export const registrationRate = () =>
  createMiddleware<MaybeSignedEnv>(async function registrationRate(c, next) {
    const isWithin = await c.var.deps.rates.registration(c.req.header(ADDRESS) ?? 'none')
    if (!isWithin) refuse('rate-limited', 'too many registrations from this address')
    await next()
  })

/** Slows the submissions of one organisation, so that open epochs leave judging for others. Behind `signed`. */
export const submissionRate = () =>
  createMiddleware<SignedEnv>(async function submissionRate(c, next) {
    const isWithin = await c.var.deps.rates.submission(c.var.caller.organisation)
    if (!isWithin) refuse('rate-limited', 'too many submissions of this organisation')
    await next()
  })
