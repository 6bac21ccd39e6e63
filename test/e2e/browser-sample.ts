import { buildReport } from '../../src/protocol/build-report.ts'
import type { EpochCard, EpochView } from '../../src/protocol/epoch.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import { CATEGORIES, type Category } from '../../src/protocol/map.ts'
import { type EpochKind, POLICIES } from '../../src/protocol/policy-data.ts'
import type { Report } from '../../src/protocol/report.ts'
import type { Counts, Tally } from '../../src/protocol/tally.ts'

/** What a sample varies; the numbers of a name are the same on every run. */
export type Sample = {
  kind: EpochKind
  /** Which cells of the map are part of the epoch. */
  built: (category: Category) => boolean
  /** Ability of the imagined model, as a share of tasks fixed. */
  skill: number
  /** Texts that strangers choose. */
  model?: string
  organisation?: string | null
  profile?: 'S' | 'L' | 'unsafe'
  overlay?: boolean
}

const SEALED = 80
const PRACTICE = 16
const OPENS = '2026-11-02T00:00:00Z'
const CLOSES = '2026-11-30T00:00:00Z'

/** Most of the map, with weak clusters, some unanswered categories and a few not built. */
export const WIDE: Sample = {
  kind: 'live',
  built: ({ row, column }) => !(column > 12 && row % 3 === 0) && !(row === 14 && column > 5),
  skill: 0.58,
}

/** A young map: two categories of each domain. */
export const YOUNG: Sample = { kind: 'open', built: ({ column }) => column < 2, skill: 0.31 }

/** A report made by the real builder from imagined tallies: every shape is one that can occur. */
export function sampleReport(sample: Sample): Report {
  const card = sampleCard(sample)
  const report = buildReport({
    origin: 'https://failmap.example',
    api: '0.1.0',
    card,
    manifest: manifestOf(card, sample),
    manifestSha256: digest('manifest'),
    organisationName:
      sample.organisation === undefined ? 'Halde Software GmbH' : sample.organisation,
    usage: card.policy.sealed.budget === null ? null : { practice: 7, sealed: 2 },
    tallies: card.categories.map(({ slug }) => tallyOf(slug, card, sample)),
  })
  if (!report.ok) throw new Error(report.error.why)
  return report.value
}

/** The card of the epoch that the sample's report belongs to. */
export function sampleCard({ kind, built, overlay }: Sample): EpochCard {
  const categories: EpochCard['categories'] = CATEGORIES.filter(built).map(({ slug, domain }) => ({
    slug,
    domain,
    origin: 'public',
  }))
  if (overlay) {
    categories.push({ slug: 'ledger-rounding', domain: 'numbers-money', origin: 'overlay' })
  }
  return {
    card: 1,
    id: `${kind}-2026-11`,
    kind,
    title: kind === 'open' ? 'Open epoch, November 2026' : 'November 2026',
    opens_at: OPENS,
    closes_at: CLOSES,
    practice: PRACTICE,
    sealed: SEALED,
    corpus: digest('corpus'),
    drawing: digest('drawing'),
    prompt_version: 1,
    prompts: {
      sha256: digest('prompts'),
      bytes: 61_772_411,
      count: (PRACTICE + SEALED) * categories.length,
    },
    commitment: digest('commitment'),
    policy: POLICIES[kind],
    categories,
  }
}

/** The card as `GET /v1/epochs/{id}` shows it. */
export function sampleEpoch(sample: Sample): EpochView {
  const open = sample.kind === 'open'
  return {
    card: sampleCard(sample),
    card_sha256: digest('card'),
    phase: open ? 'open' : 'closed',
    release_at: open ? null : '2026-12-01T00:00:00Z',
    root: null,
  }
}

/** A digest that looks like one; equal names give equal digests. */
export function digest(name: string): string {
  return Array.from({ length: 8 }, (_, index) => hash(`${name} ${index}`))
    .map((word) => word.toString(16).padStart(8, '0'))
    .join('')
}

function manifestOf(card: EpochCard, sample: Sample): Manifest {
  return {
    manifest: 1,
    iss: `key_${'Hq4vW0yTzE1nB8sKdL3m'.padEnd(43, 'xY7')}`,
    aud: 'https://failmap.example',
    organisation: 'org_7h2k9d4m1p8r3t6w',
    part: 'sealed',
    epoch: { id: card.id, card: digest('card'), prompts: card.prompts.sha256 },
    patches: { sha256: digest('patches'), bytes: 25_310_002, count: card.prompts.count },
    model: {
      name: sample.model ?? 'ollama/qwen2.5-coder:14b',
      provider: null,
      parameters: 14_770_033_664,
      quantisation: 'Q4_K_M',
      weights_sha256: digest('weights'),
      server: { name: 'ollama', version: '0.13.2' },
      context_length: 16_384,
      sampling: { temperature: 0, top_p: null, top_k: null, seed: 7, max_tokens: 4096 },
    },
    client: { name: 'failmap', version: '0.1.0' },
    prompt_version: 1,
    iat: 1_795_600_000,
    exp: 1_795_603_600,
    jti: 'c2FtcGxlLXNhbXBsZS0x',
  }
}

function tallyOf(slug: string, card: EpochCard, sample: Sample): Tally {
  const place = CATEGORIES.find((category) => category.slug === slug)
  const row = place?.row ?? 5
  const profile = sample.profile ?? 'S'
  // Rows differ, and every eleventh category is much harder than the rest.
  const lean = ((hash(`row ${row}`) % 100) - 50) / 250
  const hard = hash(slug) % 11 === 0 ? -0.35 : 0
  const easy = hash(slug) % 13 === 0 ? 0.3 : 0
  const jitter = ((hash(`cell ${slug}`) % 100) - 50) / 350
  const share = Math.min(0.97, Math.max(0.02, sample.skill + lean + hard + easy + jitter))
  const unanswered = sample.kind !== 'open' && hash(`skip ${slug}`) % 29 === 0
  return {
    protocol: 1,
    corpus: card.corpus,
    epoch: card.id,
    submission: `sub_${digest('manifest').slice(0, 40)}`,
    category: slug,
    runtime: { python: '3.11.7', sandbox: digest('sandbox') },
    isolation: {
      profile,
      landlock_abi: profile === 'unsafe' ? null : 7,
      user_namespace: profile === 'S',
      seccomp: profile === 'unsafe' ? null : digest('seccomp'),
      self_tests: { run: 12, held: 12 },
    },
    controls: {
      reference: { run: 4, held: 4 },
      known_failing: { run: 4, held: 4 },
      unsolvable: { run: 2, held: 2 },
    },
    parts: {
      practice: countsOf(PRACTICE, share, unanswered),
      sealed: countsOf(SEALED, share, unanswered),
    },
  }
}

function countsOf(tasks: number, share: number, unanswered: boolean): Counts {
  const noAnswer = unanswered ? Math.ceil(tasks * 0.6) : Math.floor(tasks * 0.03)
  const answered = tasks - noAnswer
  const fixed = Math.floor(answered * share)
  const rest = answered - fixed
  const invalid = Math.floor(rest * 0.12)
  const timedOut = Math.floor(rest * 0.06)
  const crashed = Math.floor(rest * 0.02)
  return {
    tasks,
    fixed,
    wrong: rest - invalid - timedOut - crashed,
    crashed,
    timed_out: timedOut,
    invalid,
    no_answer: noAnswer,
    visible_passed: fixed + Math.floor(rest * 0.35),
    regressed: Math.floor(rest * 0.2),
    trapped: Math.floor(rest * 0.15),
    faults_injected: tasks + Math.floor(tasks / 8),
    faults_mended: fixed + Math.floor(fixed / 8),
    lines_changed: fixed * 5,
    lines_needed: fixed * 2,
  }
}

/** FNV-1a: enough to spread a sample, and the same everywhere. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) {
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193)
  }
  value ^= value >>> 15
  return Math.imul(value, 0x2c1b3c6d) >>> 0
}
