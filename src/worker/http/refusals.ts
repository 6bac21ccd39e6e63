import type { Context } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { PROBLEMS, type ProblemSlug, type Refusal, toProblem } from '../../protocol/problem.ts'
import type { Result } from '../../protocol/result.ts'
import { MEDIA } from '../../protocol/routes.ts'
import { BodyError } from '../body.ts'
import { describeError } from '../log.ts'
import type { AppEnv } from './context.ts'

/** Carries a refusal from where it is decided to the rim, where it becomes a problem document. */
export class Refused extends Error {
  override name = 'Refused'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.slug)
    this.refusal = refusal
  }
}

/** Throws; for use inside expressions. */
export function refuse(slug: ProblemSlug, detail?: string): never {
  throw new Refused(detail === undefined ? { slug } : { slug, detail })
}

/** The value, or the single throw at the rim. */
export function orRefuse<T>(result: Result<T, Refusal>): T {
  if (!result.ok) throw new Refused(result.error)
  return result.value
}

/** How long a client waits before it tries again, for the refusals where that helps. */
const RETRY_AFTER_SECONDS: Partial<Record<ProblemSlug, number>> = {
  busy: 10,
  'rate-limited': 30,
  quarantined: 10,
}

/** The problem document of a refusal. */
export function problemResponse(c: Context<AppEnv>, refusal: Refusal): Response {
  const status: ContentfulStatusCode = PROBLEMS[refusal.slug].status
  const wait = RETRY_AFTER_SECONDS[refusal.slug]
  if (wait !== undefined) c.header('retry-after', String(wait))
  if (status === 401) c.header('www-authenticate', 'Bearer realm="failmap"')
  c.header('content-type', MEDIA.problem)
  c.header('cache-control', 'no-store')
  const problem = toProblem(refusal, c.var.origin, c.var.requestId)
  return c.body(JSON.stringify(problem), status)
}

/** The rim: a refusal is told, anything else is a bug that shows a request id and nothing more. */
export function handleError(error: Error, c: Context<AppEnv>): Response {
  if (error instanceof Refused) return problemResponse(c, error.refusal)
  if (error instanceof BodyError) {
    return problemResponse(c, { slug: error.slug, detail: error.message })
  }
  // The framework reads content types more strictly than `strictJson` does, and says so in its own way.
  if (error instanceof HTTPException && error.status === 415) {
    return problemResponse(c, { slug: 'media-unsupported', detail: `send ${MEDIA.json}` })
  }
  c.var.deps.log('request-failed', {
    request: c.var.requestId,
    ...describeError(error),
    method: c.req.method,
    route: c.req.routePath,
  })
  return problemResponse(c, { slug: 'internal' })
}
