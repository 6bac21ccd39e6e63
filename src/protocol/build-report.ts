import { addCounts, NO_COUNTS, toCell } from './cell.ts'
import type { EpochCard } from './epoch.ts'
import { fitTally, type TallyFault } from './fit-tally.ts'
import { toReportId, toSubmissionId } from './ids.ts'
import { toInstant } from './instant.ts'
import type { Manifest } from './manifest.ts'
import { CATEGORIES, DOMAINS, type DomainSlug } from './map.ts'
import type { Usage } from './policy.ts'
import type { Policy } from './policy-data.ts'
import type { CategoryScore, Cell, DomainScore, Report } from './report.ts'
import { err, ok, type Result } from './result.ts'
import { compareCategories } from './standing.ts'
import { type Counts, PROTOCOL_VERSION, type Tally } from './tally.ts'
import { sumControls, tellIsolation, tellRuntimes } from './tally-settings.ts'

/** Everything that a report depends on; nothing of it is a time of day. */
export type ReportInput = {
  /** Origin of the API that will sign. */
  origin: string
  /** Version of the API's code. */
  api: string
  card: EpochCard
  manifest: Manifest
  manifestSha256: string
  organisationName: string | null
  /** Submissions of the organisation in this epoch; null where the epoch has no budget. */
  usage: Usage | null
  /** One tally of each category of the card, in any order. */
  tallies: readonly Tally[]
}

/**
 * Builds the report of a sealed submission: the same input gives the same bytes in any order of the
 * tallies. Refuses a set of tallies that is not exactly one fitting tally per category: a partial
 * set would turn a fault of ours into a lower score.
 */
export function buildReport(input: ReportInput): Result<Report, TallyFault> {
  const { card, manifest } = input
  const submission = toSubmissionId(input.manifestSha256)
  if (manifest.part !== 'sealed') return unfit('a practice run has no report')
  if (manifest.epoch.id !== card.id) return unfit('the manifest is for another epoch')
  const ordered = orderTallies(input.tallies, card, submission)
  if (!ordered.ok) return ordered
  const tallies = ordered.value
  const { policy } = card
  const sealedBy = new Map(tallies.map((tally) => [tally.category, tally.parts.sealed]))
  const publicBuilt = card.categories.filter(({ origin }) => origin === 'public')
  const overlayBuilt = card.categories.filter(({ origin }) => origin === 'overlay')
  const built = (slugs: readonly { slug: string }[]): Counts[] =>
    slugs.flatMap(({ slug }) => sealedBy.get(slug) ?? [])
  const publicSlugs = new Set(publicBuilt.map(({ slug }) => slug))
  const categories = scoreCategories(
    CATEGORIES.map((category) => ({
      ...category,
      counts: publicSlugs.has(category.slug) ? sealedBy.get(category.slug) : undefined,
    })),
    policy,
  )
  const overlay = scoreCategories(
    overlayBuilt.map(({ slug, domain }) => ({
      slug,
      domain,
      title: slug,
      counts: sealedBy.get(slug),
    })),
    policy,
  )
  return ok({
    report: 1,
    id: toReportId(submission),
    iss: input.origin,
    epoch: describeEpoch(card, manifest),
    policy,
    submission: {
      id: submission,
      organisation: manifest.organisation,
      organisation_name: input.organisationName,
      key: manifest.iss,
      manifest: input.manifestSha256,
      patches: manifest.patches,
      signed_at: toInstant(manifest.iat),
    },
    model: manifest.model,
    client: manifest.client,
    prompt_version: manifest.prompt_version,
    usage: input.usage,
    statistics: {
      part: 'sealed',
      interval: 'wilson-95',
      rho: policy.rho,
      cluster: policy.cluster,
      rho_source: 'assumed',
      weaknesses: 'benjamini-hochberg',
      q: policy.weakness_percent / 100,
      tested: categories.filter(({ standing }) => standing !== 'untested').length,
    },
    overall: toCell(addCounts(built(publicBuilt)), policy),
    domains: DOMAINS.map(({ slug, title }): DomainScore => {
      const inDomain = publicBuilt.filter(({ domain }) => domain === slug)
      const cell = toCell(addCounts(built(inDomain)), policy)
      return { slug, title, categories_built: inDomain.length, cell }
    }),
    categories,
    overlay:
      overlay.length === 0
        ? null
        : { overall: toCell(addCounts(built(overlayBuilt)), policy), categories: overlay },
    suppressed: {
      few_tasks: countWhy([...categories, ...overlay], 'few_tasks'),
      few_answers: countWhy([...categories, ...overlay], 'few_answers'),
    },
    controls: sumControls(tallies),
    isolation: tellIsolation(tallies),
    code: {
      corpus: card.corpus,
      runtimes: tellRuntimes(tallies),
      api: input.api,
      protocol: PROTOCOL_VERSION,
    },
  })
}

/** The tallies in the order of the card, each one checked; a fault when the set is not complete. */
function orderTallies(
  tallies: readonly Tally[],
  card: EpochCard,
  submission: string,
): Result<Tally[], TallyFault> {
  const byCategory = new Map(tallies.map((tally) => [tally.category, tally]))
  if (byCategory.size !== tallies.length) return unfit('two tallies of one category')
  if (tallies.length !== card.categories.length) return unfit('not one tally per category')
  const ordered: Tally[] = []
  for (const { slug: category } of card.categories) {
    const tally = byCategory.get(category)
    if (tally === undefined) return unfit('a category has no tally')
    const fitted = fitTally(tally, { card, submission, category })
    if (!fitted.ok) return fitted
    ordered.push(fitted.value)
  }
  return ok(ordered)
}

type Scored = { slug: string; title: string; domain: DomainSlug; counts: Counts | undefined }

/** Cells with their standing among the shown ones; a category without counts is not built. */
function scoreCategories(categories: readonly Scored[], policy: Policy): CategoryScore[] {
  const cells = categories.map(({ slug, title, domain, counts }) => ({
    slug,
    title,
    domain,
    cell: toCell(counts ?? NO_COUNTS, policy),
  }))
  const contenders = cells.flatMap(({ slug, cell }) =>
    cell.shown ? [{ slug, fixed: cell.counts.fixed, tasks: cell.tasks, deff: cell.deff }] : [],
  )
  const comparisons = compareCategories(contenders, policy.weakness_percent)
  return cells.map((score) => ({
    ...score,
    ...(comparisons.get(score.slug) ?? { standing: 'untested', p_weaker: null, p_stronger: null }),
  }))
}

const describeEpoch = (card: EpochCard, manifest: Manifest): Report['epoch'] => ({
  id: card.id,
  title: card.title,
  card: manifest.epoch.card,
  prompts: card.prompts.sha256,
  drawing: card.drawing,
  commitment: card.commitment,
  opens_at: card.opens_at,
  closes_at: card.closes_at,
  practice: card.practice,
  sealed: card.sealed,
  categories: card.categories.length,
})

const countWhy = (scores: readonly { cell: Cell }[], why: 'few_tasks' | 'few_answers'): number =>
  scores.filter(({ cell }) => !cell.shown && cell.why === why).length

const unfit = (why: string) => err<TallyFault>({ reason: 'controls_failed', why })
