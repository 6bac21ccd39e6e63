import { createHash } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openReport } from '../../protocol/jws.ts'
import { jwksSchema } from '../../protocol/keys.ts'
import type { Report } from '../../protocol/report.ts'
import { routePath } from '../../protocol/routes.ts'
import type { Api } from '../api.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { codeOf, Failure } from '../failure.ts'
import { readText } from '../model/call.ts'
import { makeFolder, reportsFolder } from '../workspace/folders.ts'

export type FetchedReport = { report: Report; file: string; jwsFile: string; jwksFile: string }

/** Fetches a signed report, verifies it, and keeps JSON, JWS and keys under names of their own. */
export async function fetchReport(
  context: Context,
  api: Api,
  reportId: string,
  run: string | null,
): Promise<FetchedReport> {
  const response = await api.send({ method: 'GET', path: routePath('reportJws', reportId) })
  const jws = (await readText(response.body)).trim()
  const jwks = await api.get(routePath('jwks'), jwksSchema)
  const opened = await openReport(jws, jwks)
  if (!opened.ok) {
    throw new Failure(EXIT.refused, 'the report does not verify', {
      why: opened.error.detail ?? opened.error.slug,
      next: 'do not use it; tell the operator of the API',
    })
  }
  const folder = makeFolder(reportsFolder(context.config.workspace))
  const stem = run ?? `report-${createHash('sha256').update(reportId).digest('hex').slice(0, 12)}`
  const json = `${JSON.stringify(opened.value, null, 2)}\n`
  return {
    report: opened.value,
    file: writeNew(folder, stem, '.json', json),
    jwsFile: writeNew(folder, stem, '.jws', `${jws}\n`),
    jwksFile: writeNew(folder, stem, '.jwks.json', `${JSON.stringify(jwks)}\n`),
  }
}

/** Writes under a name that is free: `stem.json`, `stem-1.json`, … Nothing is ever replaced. */
export function writeNew(folder: string, stem: string, extension: string, text: string): string {
  const draft = path.join(folder, `.${stem}${extension}.${process.pid}.part`)
  writeFileSync(draft, text)
  try {
    for (let number = 0; ; number += 1) {
      const suffix = number === 0 ? '' : `-${number}`
      const file = path.join(folder, `${stem}${suffix}${extension}`)
      try {
        linkSync(draft, file)
        return file
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
    }
  } finally {
    rmSync(draft, { force: true })
  }
}
