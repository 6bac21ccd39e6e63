import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Context, Next } from 'hono'
import { MEDIA, ROUTES } from '../../protocol/routes.ts'
import { openBody } from '../body.ts'
import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'
import { renderDocs } from '../pages/docs.tsx'
import { renderNotFound } from '../pages/not-found.tsx'
import { PAGE_HEADERS } from '../pages/page.ts'
import type { AppEnv } from './context.ts'
import { allowedMethods } from './methods.ts'
import { DOCUMENT, SECURITY } from './openapi.ts'
import { handleError, problemResponse } from './refusals.ts'
import { newRouter } from './router.ts'
import { epochs } from './routes/epochs.ts'
import { keys } from './routes/keys.ts'
import { pages } from './routes/pages.ts'
import { reports } from './routes/reports.ts'
import { service } from './routes/service.ts'
import { submissions } from './routes/submissions.ts'

/** The whole HTTP side. `depsOf` is called per request and gives the same object for the same env. */
export function createApp(depsOf: (env: Env) => Deps): OpenAPIHono<AppEnv> {
  const app = newRouter()

  app.use(async function context(c: Context<AppEnv>, next: Next) {
    const deps = depsOf(c.env)
    const requestId = `req_${Buffer.from(deps.random(12)).toString('hex')}`
    c.set('deps', deps)
    c.set('requestId', requestId)
    c.set('origin', deps.settings.origin ?? new URL(c.req.url).origin)
    await next()
    await drainUnread(c.req.raw)
    c.res.headers.set('x-request-id', requestId)
    c.res.headers.set('x-content-type-options', 'nosniff')
  })
  app.onError(handleError)
  app.notFound(async (c) => {
    const methods = allowedMethods(app, c.req.path)
    if (methods.length > 0) {
      c.header('allow', methods.join(', '))
      return problemResponse(c, { slug: 'method-not-allowed' })
    }
    const wantsPage = c.req.header('accept')?.includes('text/html') ?? false
    return wantsPage
      ? c.html(await renderNotFound(), 404, PAGE_HEADERS)
      : problemResponse(c, { slug: 'not-found' })
  })

  app.route('/', keys)
  app.route('/', epochs)
  app.route('/', submissions)
  app.route('/', reports)
  app.route('/', service)
  app.route('/', pages)

  for (const [name, scheme] of Object.entries(SECURITY)) {
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme)
  }
  // The document depends on the code alone: it is written once an isolate.
  const written = once(() => {
    const document = app.getOpenAPI31Document(DOCUMENT)
    return { json: JSON.stringify(document), page: renderDocs({ document }) }
  })
  app.get(ROUTES.openapi, (c) => c.body(written().json, 200, { 'content-type': MEDIA.json }))
  app.get(ROUTES.docs, async (c) => c.html(await written().page, 200, PAGE_HEADERS))
  return app
}

/** A body that nobody read is read away: an answer to it could be lost on the way to the client. */
async function drainUnread({ body, bodyUsed }: Request): Promise<void> {
  if (body === null || body.locked || bodyUsed) return
  await openBody(body, 'identity', { wireBytes: 0, bytes: 0 }).drain()
}

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
