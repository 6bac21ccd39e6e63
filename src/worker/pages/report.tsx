import type { Report } from '../../protocol/report.ts'
import { whole } from './figures.ts'
import { reportGrid } from './grid.ts'
import { renderLayout } from './layout.tsx'
import { FailureMap, MapLegend } from './map.tsx'
import type { Page } from './page.ts'
import { Buckets } from './report-buckets.tsx'
import { CategoryTable } from './report-categories.tsx'
import { Claims } from './report-claims.tsx'
import { DomainTable } from './report-domains.tsx'
import { Evidence } from './report-evidence.tsx'
import { Figures } from './report-figures.tsx'
import { Limits } from './report-limits.tsx'
import { Standings } from './report-standings.tsx'
import { Suppressed } from './report-suppressed.tsx'
import { VerifyOffline } from './report-verify.tsx'

export type ReportPage = { report: Report }

const CONTENTS = [
  ['map', 'Map'],
  ['weaker', 'Weaker categories'],
  ['domains', 'Domains'],
  ['buckets', 'Buckets'],
  ['suppressed', 'Not shown'],
  ['claims', 'Claims'],
  ['evidence', 'Evidence'],
  ['verify', 'Verify'],
  ['limits', 'Limits'],
  ['categories', 'All categories'],
] as const

/** The page of one released report: the scores, what they rest on, and how to check them. */
export function renderReport({ report }: ReportPage): Page {
  const { model, submission, epoch } = report
  const submitter = submission.organisation_name ?? submission.organisation
  return renderLayout({
    title: `${model.name}, ${epoch.title}`,
    description: `Signed closed-book scores of ${model.name} on ${whole(epoch.categories)} categories of the Failure Map.`,
    children: (
      <>
        <p class="eyebrow">
          Signed report, <a href={`/epochs/${epoch.id}`}>{epoch.title}</a>
        </p>
        <h1 class={model.name.length > 48 ? 'long' : undefined}>{model.name}</h1>
        <p class="quiet">Model as named by its submitter, {submitter}</p>
        <Lede report={report} />
        <Cautions report={report} />
        <Figures overall={report.overall} />
        <nav class="contents screen-only" aria-label="On this page">
          {CONTENTS.map(([anchor, words]) => (
            <a href={`#${anchor}`}>{words}</a>
          ))}
        </nav>
        <section aria-labelledby="map">
          <h2 id="map">Where its repairs fail</h2>
          <p>
            Each cell is one category of fault, each row one domain; the number is the share of
            tasks fixed, in percent. A cell is uncertain by ten points and more in either direction,
            so look for rows and clusters, not for single digits.
          </p>
          <p class="screen-only">
            <a href="#categories">Skip the map and read its table</a>
          </p>
          <MapLegend />
          <FailureMap rows={reportGrid(report)} title={`Failure Map of ${model.name}`} />
        </section>
        <Standings report={report} />
        <DomainTable domains={report.domains} />
        <Buckets overall={report.overall} />
        <Suppressed report={report} />
        <Claims report={report} />
        <Evidence report={report} />
        <VerifyOffline report={report} />
        <Limits report={report} />
        <CategoryTable report={report} />
      </>
    ),
  })
}

function Lede({ report: { overall, domains, policy } }: ReportPage) {
  const built = domains.reduce((sum, domain) => sum + domain.categories_built, 0)
  return (
    <p class="lede">
      {whole(overall.tasks)} faulty Python modules in {whole(built)} categories, each with a
      contract in plain English. A module counts as fixed when its patch passes every visible check
      and every hidden one.
      {policy.kind === 'open' ? null : ' The hidden checks never leave the sandbox.'}
    </p>
  )
}

/** What takes weight from the numbers comes before the numbers. */
function Cautions({ report }: ReportPage) {
  const unconfined = report.isolation.some(({ profile }) => profile === 'unsafe')
  return (
    <>
      {report.policy.kind === 'open' ? (
        <p class="note">
          <strong>Open epoch.</strong> Its key and hidden checks are public, so anybody can aim at
          them. Use this report to find weak spots; it is no evidence for a purchase.
        </p>
      ) : null}
      {unconfined ? (
        <p class="note">
          <strong>Judged without isolation.</strong> A patch could have influenced its own score.
          Treat these numbers as a development run.
        </p>
      ) : null}
    </>
  )
}
