import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Report, reportSchema } from '../../protocol/report.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { readJsonFile } from '../text-file.ts'
import { reportsFolder } from './folders.ts'

/** The report that was fetched last for a run. */
export function latestReport(workspace: string, run: string): Report | null {
  const isOwn = (name: string) =>
    name.startsWith(run) && /^(-\d+)?\.json$/.test(name.slice(run.length))
  const newest = newestFile(reportsFolder(workspace), isOwn)
  return newest === null ? null : (reportSchema.safeParse(readJsonFile(newest)).data ?? null)
}

/** The signed report that was fetched last. */
export function newestSignedReport(workspace: string): string {
  const folder = reportsFolder(workspace)
  const newest = newestFile(folder, (name) => name.endsWith('.jws'))
  if (newest !== null) return newest
  throw new Failure(EXIT.usage, 'which report?', {
    why: `there is none in ${folder}`,
    next: 'failmap report   (fetches one), or give the .jws file',
  })
}

/** The keys that were fetched with a signed report, if they lie beside it. */
export function keysBeside(signedReport: string): string | undefined {
  const keys = signedReport.replace(/\.jws$/, '.jwks.json')
  return existsSync(keys) ? keys : undefined
}

function newestFile(folder: string, isWanted: (name: string) => boolean): string | null {
  if (!existsSync(folder)) return null
  const newest = readdirSync(folder)
    .filter(isWanted)
    .map((name) => path.join(folder, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    .at(-1)
  return newest ?? null
}
