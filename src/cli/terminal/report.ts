import { DOMAINS } from '../../protocol/map.ts'
import type { Cell, Rate, Report } from '../../protocol/report.ts'
import type { Context } from '../context.ts'
import { mapLines } from './map.ts'
import { createPaint, type Paint } from './paint.ts'

/** A report for the terminal: the map, the overall line, what is weak, what is not shown. */
export function reportText(report: Report, { io, paint }: Pick<Context, 'io' | 'paint'>): string {
  return reportLines(report, paint ?? createPaint(io.stdout, io.env)).join('\n')
}

export function reportLines(report: Report, paint: Paint): string[] {
  const { epoch, model, submission } = report
  return [
    paint.bold(`Failure Map of ${model.name}`),
    paint.dim(
      `${epoch.title} (${epoch.id}), ${submission.organisation_name ?? submission.organisation}`,
    ),
    '',
    ...mapLines(report, paint),
    '',
    ...overallLines(report.overall, paint),
    ...weakLines(report, paint),
    ...absentLines(report),
  ]
}

function overallLines(cell: Cell, paint: Paint): string[] {
  if (!cell.shown)
    return [`overall: no rate (${cell.why}), ${cell.answered} of ${cell.tasks} answered`]
  return [
    `${paint.bold('overall')}    ${rateText(cell.fixed)} fixed`,
    `${paint.bold('gap')}        ${rateText(cell.gap)} pass what is visible, fail hidden`,
    `${paint.bold('trapped')}    ${rateText(cell.trapped)} behave like a known-failing patch`,
    `${paint.bold('regressed')}  ${rateText(cell.regressed)} break what worked before`,
    ...(cell.answered < cell.tasks
      ? [
          paint.yellow(
            `answered   ${cell.answered} of ${cell.tasks}; the others count as not fixed`,
          ),
        ]
      : []),
  ]
}

function rateText({ rate, low, high, count, of }: Rate): string {
  if (rate === null || low === null || high === null) return `  none (of ${of})`
  return `${percent(rate)} [${percent(low)}, ${percent(high)}]  ${count}/${of}`
}

const WEAK_SHOWN = 8

function weakLines({ categories, statistics }: Report, paint: Paint): string[] {
  const weak = categories
    .filter(({ standing }) => standing === 'weaker')
    .sort((a, b) => (a.p_weaker ?? 1) - (b.p_weaker ?? 1))
  if (weak.length === 0) return [paint.dim('no category is weaker than the others beyond chance')]
  return [
    `weaker than the rest (false discovery rate ${Math.round(statistics.q * 100)} %):`,
    ...weak.slice(0, WEAK_SHOWN).map(({ slug, cell }) => {
      const rate = cell.shown ? rateText(cell.fixed) : ''
      return `  ${paint.red(slug.padEnd(34))} ${rate}`
    }),
    ...(weak.length > WEAK_SHOWN ? [`  and ${weak.length - WEAK_SHOWN} more`] : []),
  ]
}

function absentLines({ domains, suppressed }: Report): string[] {
  const built = domains.reduce((sum, domain) => sum + domain.categories_built, 0)
  const total = DOMAINS.length * 16
  const lines =
    built < total ? [`${built} of ${total} categories are built; the others are empty cells`] : []
  const hidden = suppressed.few_tasks + suppressed.few_answers
  if (hidden > 0) lines.push(`${hidden} categories show no rate: too few tasks or answers`)
  return lines
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`
