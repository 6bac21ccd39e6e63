import { existsSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Report, reportSchema } from '../../protocol/report.ts'
import { readJsonFile } from '../text-file.ts'
import { reportsFolder } from './folders.ts'

/** The report that was fetched last for a run. */
export function latestReport(workspace: string, run: string): Report | null {
  const folder = reportsFolder(workspace)
  if (!existsSync(folder)) return null
  const isOwn = (name: string) =>
    name.startsWith(run) && /^(-\d+)?\.json$/.test(name.slice(run.length))
  const newest = readdirSync(folder)
    .filter(isOwn)
    .map((name) => path.join(folder, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs)
    .at(-1)
  return newest === undefined ? null : (reportSchema.safeParse(readJsonFile(newest)).data ?? null)
}
