import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Rate, Report } from '../protocol/report.ts'
import type { Size } from './local-epoch.ts'
import { SetupError } from './process.ts'
import { root } from './root.ts'

export type BaselineRow = { name: string; size: Size; corpus: string; report: Report }

const PAGE = path.join(root, 'docs', 'baselines.md')

/** One model as a row of the table in docs/baselines.md. */
export function markdownRow({ name, size, corpus, report }: BaselineRow): string {
  const { overall, epoch, model } = report
  if (!overall.shown) throw new SetupError(`${name} has no score`, overall.why, 'answer more tasks')
  const label = name.includes('/') ? model.name : `${name}: ${model.name}`
  const cells = [
    label,
    `${epoch.categories} × ${epoch.sealed}`,
    interval(overall.fixed),
    percent(overall.visible),
    interval(overall.gap),
    percent(overall.trapped),
    percent(overall.regressed),
    overall.counts.no_answer + overall.counts.invalid,
    corpus.slice(0, 8),
    `\`npm run baselines -- --model ${name} --sealed ${size.sealed}\``,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Replaces the rows of these models in the page, and adds those that are new; answers the file. */
export function writeRows(rows: readonly BaselineRow[]): string {
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  for (const row of rows) {
    const line = markdownRow(row)
    const at = lines.findIndex((old) => old.includes(`--model ${row.name} `))
    const rule = lines.findIndex((old) => old.startsWith('|---'))
    let end = rule + 1
    while (lines[end]?.startsWith('|')) end += 1
    if (at >= 0) lines[at] = line
    else lines.splice(end, 0, line)
  }
  writeFileSync(PAGE, lines.join('\n'))
  return path.relative(process.cwd(), PAGE)
}

const percent = ({ rate }: Rate): string => (rate === null ? '–' : `${(100 * rate).toFixed(1)} %`)

function interval(rate: Rate): string {
  if (rate.low === null || rate.high === null) return percent(rate)
  return `${percent(rate)} (${(100 * rate.low).toFixed(1)}–${(100 * rate.high).toFixed(1)})`
}
