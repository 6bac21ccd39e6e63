import { type Context, Hono } from 'hono'
import { epochIdSchema, reportIdSchema } from '../../../protocol/ids.ts'
import { PROBLEM_SLUGS } from '../../../protocol/problem.ts'
import { rateSchema, reportSchema } from '../../../protocol/report.ts'
import { readShape } from '../../../protocol/shape.ts'
import { renderEpoch } from '../../pages/epoch.tsx'
import { renderHome } from '../../pages/home.tsx'
import { renderNotFound } from '../../pages/not-found.tsx'
import { PAGE_HEADERS, type Page } from '../../pages/page.ts'
import { renderProblem } from '../../pages/problem.tsx'
import { renderReport } from '../../pages/report.tsx'
import { renderVerify } from '../../pages/verify.tsx'
import { viewEpoch, viewEpochs } from '../../registry/epoch-view.ts'
import { listReleased, payloadOf, readReportJws } from '../../released-report.ts'
import { publicKeys } from '../../signer.ts'
import type { ReportRow } from '../../store/reports.ts'
import type { AppEnv } from '../context.ts'
import { orRefuse } from '../refusals.ts'

const show = async (c: Context<AppEnv>, page: Page, status: 200 | 404 = 200) =>
  c.html(await page, status, PAGE_HEADERS)

const missing = (c: Context<AppEnv>) => show(c, renderNotFound(), 404)

const lineOf = (row: ReportRow) => ({
  id: row.id,
  model: row.model,
  organisation: row.organisationName ?? row.organisation,
  fixed: row.fixed === null ? null : rateSchema.parse(JSON.parse(row.fixed)),
})

/** What people see. Data in, HTML out: the pages themselves know neither requests nor storage. */
export const pages = new Hono<AppEnv>()
  .get('/', async (c) => {
    const { deps, origin } = c.var
    return show(c, renderHome({ origin, epochs: (await viewEpochs(deps)).epochs }))
  })
  .get('/epochs/:id', async (c) => {
    const id = epochIdSchema.safeParse(c.req.param('id'))
    const epoch = id.success ? await viewEpoch(c.var.deps, id.data) : undefined
    if (epoch === undefined) return missing(c)
    const rows = await listReleased(c.var.deps, epoch.card.id)
    return show(c, renderEpoch({ epoch, reports: rows.map(lineOf) }))
  })
  .get('/reports/:id', async (c) => {
    const id = reportIdSchema.safeParse(c.req.param('id'))
    const jws = id.success ? await readReportJws(c.var.deps, id.data) : undefined
    if (!jws?.ok) return missing(c)
    const report = orRefuse(readShape(payloadOf(jws.value), reportSchema))
    return show(c, renderReport({ report }))
  })
  .get('/verify', async (c) => {
    const { deps, origin } = c.var
    return show(c, renderVerify({ origin, keys: (await publicKeys(deps)).keys }))
  })
  .get('/problems/:slug', (c) => {
    const slug = PROBLEM_SLUGS.find((known) => known === c.req.param('slug'))
    return slug === undefined ? missing(c) : show(c, renderProblem({ slug }))
  })
  .get('/problems', (c) => c.redirect('/docs#refusals'))
