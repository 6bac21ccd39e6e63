import type { Cell, Report } from '../../protocol/report.ts'
import type { Paint } from './paint.ts'

/** Steps of the scale: lower bound in percent, background and text of the 256-colour palette. */
const SCALE = [
  { from: 0, background: 88, foreground: 231 },
  { from: 20, background: 166, foreground: 231 },
  { from: 40, background: 178, foreground: 16 },
  { from: 60, background: 143, foreground: 16 },
  { from: 75, background: 71, foreground: 16 },
  { from: 90, background: 29, foreground: 231 },
] as const

const LABEL_COLUMNS = 21
const EMPTY_BACKGROUND = 236
const EMPTY_FOREGROUND = 244

/**
 * The 16x16 map in 76 columns: a domain a line under the name that
 * `--domain` takes, a category a cell of three columns with its
 * percentage, the domain's own at the end. Without colour the digits alone tell the same.
 */
export function mapLines({ domains, categories }: Report, paint: Paint): string[] {
  const rows = domains.map(({ slug, cell }) => {
    const own = categories.filter((category) => category.domain === slug)
    const cells = own.map((category) => drawCell(category.cell, paint)).join('')
    return `${slug.padEnd(LABEL_COLUMNS)} ${cells}  ${summary(cell)}`
  })
  return [...rows, '', legend(paint)]
}

function drawCell(cell: Cell, paint: Paint): string {
  if (!cell.shown || cell.fixed.rate === null) {
    const mark = !cell.shown && cell.why === 'not_built' ? ' · ' : ' – '
    return paint.isOn ? paint.on(EMPTY_FOREGROUND, EMPTY_BACKGROUND, mark) : mark
  }
  const percent = Math.round(cell.fixed.rate * 100)
  const step = SCALE.findLast(({ from }) => percent >= from) ?? SCALE[0]
  // Without colour nothing would part a 100 from its neighbour.
  const text = percent === 100 && !paint.isOn ? '++' : String(percent)
  return paint.on(step.foreground, step.background, text.padStart(3))
}

function summary(cell: Cell): string {
  if (!cell.shown || cell.fixed.rate === null) return '   –'
  return `${String(Math.round(cell.fixed.rate * 100)).padStart(3)}%`
}

function legend(paint: Paint): string {
  const steps = SCALE.map(({ from, background, foreground }, at) => {
    const next = SCALE[at + 1]
    const range = next === undefined ? `${from}+` : `${from}-${next.from - 1}`
    return paint.on(foreground, background, ` ${range} `)
  })
  const scale = paint.isOn ? `${steps.join('')}  ` : ''
  const all = paint.isOn ? '' : ', ++ all'
  return `${scale}% fixed${all}  – not shown  · not built`
}
