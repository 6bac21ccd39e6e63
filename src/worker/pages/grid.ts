import type { EpochCard } from '../../protocol/epoch.ts'
import { CATEGORIES, DOMAINS } from '../../protocol/map.ts'
import type { CategoryScore, Report, Suppression } from '../../protocol/report.ts'

/** A category as the map draws it. `reference` is its place: row letter, column number. */
export type MapCell = { slug: string; title: string; reference: string } & (
  | {
      state: 'scored'
      fixed: number
      tasks: number
      share: number
      low: number
      high: number
      weak: boolean
    }
  | { state: 'suppressed'; why: string }
  | { state: 'not-built' }
  | { state: 'drawn' }
)

/** A domain as the map draws it. `share` is shown beside the row where there is one. */
export type MapRow = {
  slug: string
  title: string
  letter: string
  share: number | undefined
  cells: readonly MapCell[]
}

/** Why a cell is left out, in words that follow "suppressed:". */
export const SUPPRESSION_WORDS: Record<Suppression, string> = {
  few_tasks: 'too few tasks for a rate',
  few_answers: 'too few answered tasks for a rate',
  not_built: 'not part of this epoch',
}

/** The 16 rows of a report's map. */
export function reportGrid(report: Report): MapRow[] {
  const scores = new Map(report.categories.map((score) => [score.slug, score]))
  const shares = new Map(
    report.domains.map(({ slug, cell }) => [slug, cell.shown ? cell.fixed.rate : null]),
  )
  return gridOf(
    (category) => scoredCell(category, scores.get(category.slug)),
    (domain) => shares.get(domain) ?? undefined,
  )
}

/** The 16 rows of an epoch's map: which categories it draws. */
export function epochGrid(card: EpochCard): MapRow[] {
  const drawn = new Set(
    card.categories.filter(({ origin }) => origin === 'public').map(({ slug }) => slug),
  )
  return gridOf(
    (category) => ({ ...category, state: drawn.has(category.slug) ? 'drawn' : 'not-built' }),
    () => undefined,
  )
}

/** The anchor of a category's table row. */
export const categoryAnchor = (slug: string): string => `category-${slug}`

/** The anchor of a domain's first table row. */
export const domainAnchor = (slug: string): string => `domain-${slug}`

type Place = Pick<MapCell, 'slug' | 'title' | 'reference'>

function gridOf(
  cellOf: (place: Place) => MapCell,
  shareOf: (domain: Report['domains'][number]['slug']) => number | undefined,
): MapRow[] {
  return DOMAINS.map(({ slug, title, row }) => {
    const letter = String.fromCodePoint(65 + row)
    const cells = CATEGORIES.filter((category) => category.domain === slug).map((category) =>
      cellOf({
        slug: category.slug,
        title: category.title,
        reference: `${letter}${category.column + 1}`,
      }),
    )
    return { slug, title, letter, share: shareOf(slug), cells }
  })
}

function scoredCell(place: Place, score: CategoryScore | undefined): MapCell {
  if (score === undefined) return { ...place, state: 'not-built' }
  const { cell, standing } = score
  if (!cell.shown) {
    return cell.why === 'not_built'
      ? { ...place, state: 'not-built' }
      : { ...place, state: 'suppressed', why: SUPPRESSION_WORDS[cell.why] }
  }
  const { count, of, rate, low, high } = cell.fixed
  // A cell of no tasks has no rate; drawing it as 0 % would blame the model for it.
  if (rate === null || low === null || high === null) {
    return { ...place, state: 'suppressed', why: SUPPRESSION_WORDS.few_tasks }
  }
  const weak = standing === 'weaker'
  return { ...place, state: 'scored', fixed: count, tasks: of, share: rate, low, high, weak }
}
