import { createRoute, z } from '@hono/zod-openapi'
import { reportIdSchema } from '../../../protocol/ids.ts'
import { reportSchema } from '../../../protocol/report.ts'
import { err } from '../../../protocol/result.ts'
import { MEDIA, ROUTES } from '../../../protocol/routes.ts'
import { payloadOf, readReportJws } from '../../released-report.ts'
import { json, refusals } from '../openapi.ts'
import { orRefuse } from '../refusals.ts'
import { newRouter } from '../router.ts'

const params = z.object({ id: reportIdSchema })

const read = createRoute({
  method: 'get',
  path: ROUTES.report,
  summary: 'A released report: the signed payload as JSON',
  request: { params },
  responses: {
    200: json(reportSchema.meta({ id: 'Report' }), 'The report, byte for byte as signed'),
    ...refusals('not-found'),
  },
})

const readJws = createRoute({
  method: 'get',
  path: ROUTES.reportJws,
  summary: 'A released report as compact JWS, to be verified offline',
  request: { params },
  responses: {
    200: { description: 'The JWS', content: { [MEDIA.jws]: { schema: z.string() } } },
    ...refusals('not-found'),
  },
})

const NAME = /^([a-z0-9_]+)(\.jws)?$/

// A report never changes once it is released.
const FOREVER = 'public, max-age=31536000, immutable'

export const reports = newRouter()
reports.openAPIRegistry.registerPath(read)
reports.openAPIRegistry.registerPath(readJws)

// One handler for both forms: hono's `:id` takes the suffix with it. The bytes go out as they were
// signed, so the answer is not built from the shape.
reports.get('/v1/reports/:id', async (c) => {
  const [, name = '', suffix] = NAME.exec(c.req.param('id')) ?? []
  const id = reportIdSchema.safeParse(name)
  const jws = orRefuse(
    id.success ? await readReportJws(c.var.deps, id.data) : err({ slug: 'not-found' as const }),
  )
  return suffix === undefined
    ? c.body(payloadOf(jws), 200, { 'content-type': MEDIA.json, 'cache-control': FOREVER })
    : c.body(jws, 200, { 'content-type': MEDIA.jws, 'cache-control': FOREVER })
})
