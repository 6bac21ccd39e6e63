import { buildReport, type ReportInput } from '../../src/protocol/build-report.ts'
import type { EpochCard } from '../../src/protocol/epoch.ts'
import type { Report } from '../../src/protocol/report.ts'
import type { Tally } from '../../src/protocol/tally.ts'
import { MANIFEST_SHA256, ORIGIN, sampleCounts, sampleManifest, sampleTally } from './sample.ts'

const KEY = 'key_kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'

export function inputOf(card: EpochCard, tallies: readonly Tally[]): ReportInput {
  return {
    origin: ORIGIN,
    api: '0.1.0',
    card,
    manifest: sampleManifest(card, KEY),
    manifestSha256: MANIFEST_SHA256,
    organisationName: 'Acme',
    usage: { practice: 3, sealed: 1 },
    tallies,
  }
}

export const talliesOf = (card: EpochCard, fixed: (index: number) => number): Tally[] =>
  card.categories.map(({ slug }, index) =>
    sampleTally(card, slug, sampleCounts(card.sealed, fixed(index))),
  )

export function build(card: EpochCard, tallies: readonly Tally[]): Report {
  const built = buildReport(inputOf(card, tallies))
  if (!built.ok) throw new Error(built.error.why)
  return built.value
}
