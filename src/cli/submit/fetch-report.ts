import { createHash } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
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
  const jws = await api.transfer(
    { method: 'GET', path: routePath('reportJws', reportId), what: 'the download of the report' },
    async (response) => (await readText(response.body)).trim(),
  )
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
  const texts = {
    '.json': `${JSON.stringify(opened.value, null, 2)}\n`,
    '.jws': `${jws}\n`,
    '.jwks.json': `${JSON.stringify(jwks)}\n`,
  }
  const base = keepTogether(path.join(folder, stem), texts, context.io.now() / 1000)
  return {
    report: opened.value,
    file: `${base}.json`,
    jwsFile: `${base}.jws`,
    jwksFile: `${base}.jwks.json`,
  }
}

/**
 * Keeps texts that belong together under one name that is free: `stem`, `stem-1`, … Nothing is ever
 * replaced; where the very same texts lie already, they are only marked as the newest.
 */
export function keepTogether(
  stem: string,
  texts: Record<string, string>,
  nowSeconds: number,
): string {
  const files = Object.entries(texts)
  for (let number = 0; ; number += 1) {
    const base = number === 0 ? stem : `${stem}-${number}`
    const states = files.map(([extension, text]) => stateOf(base + extension, text))
    if (states.includes('other')) continue
    if (files.every(([extension, text]) => keep(base + extension, text, nowSeconds))) return base
  }
}

function stateOf(file: string, text: string): 'absent' | 'same' | 'other' {
  if (!existsSync(file)) return 'absent'
  return readFileSync(file, 'utf8') === text ? 'same' : 'other'
}

/** False when another process took the name for another text in between. */
function keep(file: string, text: string, nowSeconds: number): boolean {
  const draft = `${file}.${process.pid}.part`
  try {
    writeFileSync(draft, text)
    linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    utimesSync(file, nowSeconds, nowSeconds)
    return stateOf(file, text) === 'same'
  } finally {
    rmSync(draft, { force: true })
  }
}
