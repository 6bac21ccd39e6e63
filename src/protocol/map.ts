import { CATEGORY_TITLES } from './map-data.ts'

export type DomainSlug = keyof typeof CATEGORY_TITLES

/** One row of the map. */
export type Domain = { slug: DomainSlug; title: string; row: number }

/** One cell of the map; row and column count from 0. */
export type Category = {
  slug: string
  title: string
  domain: DomainSlug
  row: number
  column: number
}

const DOMAIN_TITLES: Record<DomainSlug, string> = {
  'sequence-boundaries': 'Sequences, iterators & batching',
  'pagination-cursors': 'Pagination, cursors & sync',
  'identity-dedup': 'Identity, equality & deduplication',
  'caching-expiry': 'Caching & expiry',
  'calendar-time': 'Calendar, clocks & zones',
  'numbers-money': 'Integers, precision & money',
  'text-unicode': 'Text & Unicode',
  'parsing-formats': 'Parsing, serialisation & binary',
  'ordering-aggregation': 'Ordering, grouping & aggregation',
  'intervals-graphs': 'Intervals, schedules & dependency graphs',
  'concurrency-async': 'Concurrency under a fixed schedule',
  'failure-cleanup': 'Exceptions, rollback & clean-up',
  'state-protocols': 'State, aliasing & object protocols',
  'trust-boundaries': 'Validation, escaping & security',
  'resilience-limits': 'Retry, rate limits & backoff',
  'missing-config': 'Missing values, defaults & config',
}

const isDomainSlug = (slug: string): slug is DomainSlug => Object.hasOwn(CATEGORY_TITLES, slug)

/** The 16 domains in map order. */
export const DOMAINS: readonly Domain[] = Object.keys(CATEGORY_TITLES)
  .filter(isDomainSlug)
  .map((slug, row) => ({ slug, title: DOMAIN_TITLES[slug], row }))

/** The 16 domain slugs in map order. */
export const DOMAIN_SLUGS: readonly DomainSlug[] = DOMAINS.map((domain) => domain.slug)

/** The 256 categories in map order: row by row. */
export const CATEGORIES: readonly Category[] = DOMAINS.flatMap(({ slug: domain, row }) =>
  Object.entries(CATEGORY_TITLES[domain]).map(([slug, title], column) => ({
    slug,
    title,
    domain,
    row,
    column,
  })),
)

const categoryBySlug = new Map(CATEGORIES.map((category) => [category.slug, category]))
const domainBySlug = new Map(DOMAINS.map((domain) => [String(domain.slug), domain]))

/** The category of a slug, or undefined when the map has no such cell. */
export const findCategory = (slug: string): Category | undefined => categoryBySlug.get(slug)

/** The domain of a slug, or undefined when the map has no such row. */
export const findDomain = (slug: string): Domain | undefined => domainBySlug.get(slug)
