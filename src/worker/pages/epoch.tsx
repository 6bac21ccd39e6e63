import type { EpochView } from '../../protocol/epoch.ts'
import type { Rate } from '../../protocol/report.ts'
import { routePath } from '../../protocol/routes.ts'
import { whole } from './figures.ts'
import { categoryAnchor, domainAnchor, epochGrid } from './grid.ts'
import { KIND_WORDS, PHASE_WORDS } from './home.tsx'
import { renderLayout } from './layout.tsx'
import { FailureMap } from './map.tsx'
import { meaningOf } from './meanings/all.ts'
import type { Page } from './page.ts'
import { intervalWords, shareWords } from './report-figures.tsx'
import { Moment } from './time.tsx'

/** One released report of an epoch, in one line. */
export type ReportLine = {
  id: string
  /** As the submitter names it. */
  model: string
  /** The organisation's name, or its id where it has none. */
  organisation: string
  /** Overall share fixed; null where the report shows no overall score. */
  fixed: Rate | null
}

export type EpochPage = {
  epoch: EpochView
  /** In order of submission, never by score: most differences are within their intervals. */
  reports: readonly ReportLine[]
}

/** An epoch's card, what it draws, and the reports it has released. */
export function renderEpoch({ epoch, reports }: EpochPage): Page {
  const { card, phase } = epoch
  const tasks = (card.practice + card.sealed) * card.categories.length
  const rows = epochGrid(card)
  return renderLayout({
    title: card.title,
    description: `Epoch ${card.id}: ${whole(tasks)} tasks in ${whole(card.categories.length)} categories.`,
    children: (
      <>
        <p class="eyebrow">
          Epoch <span class="digest">{card.id}</span>
        </p>
        <h1>{card.title}</h1>
        <p class="lede">
          {whole(tasks)} tasks in {whole(card.categories.length)} categories, drawn from one key.{' '}
          {phaseSentence(epoch)}
        </p>
        <section aria-labelledby="reports">
          <h2 id="reports">Reports</h2>
          {reports.length === 0 ? <NoReports epoch={epoch} /> : <Reports reports={reports} />}
        </section>
        <section aria-labelledby="card">
          <h2 id="card">Card</h2>
          <dl class="facts">
            <dt>Kind</dt>
            <dd>{KIND_WORDS[card.kind]}</dd>
            <dt>State</dt>
            <dd>{PHASE_WORDS[phase]}</dd>
            <dt>Open</dt>
            <dd>
              <Moment at={card.opens_at} /> to <Moment at={card.closes_at} />
            </dd>
            <dt>Tasks in each category</dt>
            <dd>
              {card.practice} practice, {card.sealed} sealed
            </dd>
            <dt>Tries per organisation</dt>
            <dd>
              {budgetWords(card.policy.practice.budget)} practice,{' '}
              {budgetWords(card.policy.sealed.budget)} sealed
            </dd>
            <dt>Prompts</dt>
            <dd>
              <a href={routePath('prompts', card.id)}>prompts.jsonl</a>, {whole(card.prompts.count)}{' '}
              lines, {whole(card.prompts.bytes)} bytes
              <span class="digest block">{card.prompts.sha256}</span>
            </dd>
            <dt>Commitment</dt>
            <dd>
              <span class="digest block">{card.commitment}</span>
              SHA-256 of <code>failmap/commit/v1</code>, the epoch's id and its key, fixed before it
              opened
            </dd>
            <dt>Key</dt>
            <dd>
              {epoch.root === null ? (
                'secret until the epoch has been closed and its reports released'
              ) : (
                <span class="digest">{epoch.root}</span>
              )}
            </dd>
            <dt>Task generators</dt>
            <dd class="digest">{card.corpus}</dd>
            <dt>Card</dt>
            <dd>
              <a href={routePath('epoch', card.id)}>as JSON</a>{' '}
              <span class="digest block">{epoch.card_sha256}</span>
            </dd>
          </dl>
        </section>
        <section aria-labelledby="map">
          <h2 id="map">What it draws</h2>
          <p>Filled cells are categories of this epoch, hatched ones are not built yet.</p>
          <FailureMap rows={rows} title={`Categories of ${card.title}`} />
        </section>
        <section aria-labelledby="categories">
          <h2 id="categories">The map's categories</h2>
          <table class="categories">
            <caption>All 256 categories of the map, and which of them this epoch draws.</caption>
            <thead>
              <tr>
                <th scope="col">Cell</th>
                <th scope="col">Category</th>
                <th scope="col">In this epoch</th>
              </tr>
            </thead>
            {rows.map((row) => (
              <tbody>
                <tr id={domainAnchor(row.slug)}>
                  <th class="group" scope="rowgroup" colspan={3}>
                    {row.title}
                  </th>
                </tr>
                {row.cells.map((cell) => (
                  <tr id={categoryAnchor(cell.slug)}>
                    <td class="quiet number">{cell.reference}</td>
                    <th scope="row">
                      {cell.title}
                      <span class="edge">{meaningOf(cell.slug)?.edge}</span>
                    </th>
                    <td>{cell.state === 'drawn' ? 'yes' : <span class="quiet">no</span>}</td>
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </section>
      </>
    ),
  })
}

function Reports({ reports }: Pick<EpochPage, 'reports'>) {
  return (
    <table>
      <caption>
        In order of submission. Where two intervals overlap, the difference may well be chance.
      </caption>
      <thead>
        <tr>
          <th scope="col">Model, as its submitter names it</th>
          <th scope="col" class="number">
            Fixed
          </th>
          <th scope="col" class="wide-only">
            Interval
          </th>
        </tr>
      </thead>
      <tbody>
        {reports.map(({ id, model, organisation, fixed }) => (
          <tr>
            <th scope="row">
              <a href={routePath('reportPage', id)}>{model}</a>
              <span class="edge">{organisation}</span>
            </th>
            <td class="number">{fixed === null ? '–' : shareWords(fixed)}</td>
            <td class="wide-only">{fixed === null ? '' : intervalWords(fixed)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function NoReports({ epoch: { card, release_at: releaseAt, phase } }: Pick<EpochPage, 'epoch'>) {
  return (
    <div class="note">
      <p>
        <strong>No report yet.</strong>{' '}
        {releaseAt === null ? (
          'Reports appear here as soon as submissions are scored.'
        ) : (
          <>
            All reports of this epoch are released together, on <Moment at={releaseAt} />.
          </>
        )}
      </p>
      {phase === 'open' ? (
        <pre tabindex={0}>
          <code>
            {[
              `failmap pull --epoch ${card.id}`,
              'failmap run --model ollama/qwen2.5-coder:7b',
              'failmap submit',
            ].join('\n')}
          </code>
        </pre>
      ) : null}
    </div>
  )
}

function phaseSentence({ phase, card }: EpochView) {
  switch (phase) {
    case 'upcoming':
      return (
        <>
          It opens on <Moment at={card.opens_at} />.
        </>
      )
    case 'open':
      return (
        <>
          It takes submissions until <Moment at={card.closes_at} />.
        </>
      )
    case 'closed':
      return 'It is closed.'
  }
}

function budgetWords(budget: number | null): string {
  return budget === null ? 'unlimited' : whole(budget)
}
