import type { CategoryScore, Rate, Report } from '../../protocol/report.ts'
import { IntervalBar } from './bar.tsx'
import { whole } from './figures.ts'
import { categoryAnchor, domainAnchor, reportGrid } from './grid.ts'
import { meaningOf } from './meanings/all.ts'
import { rangeWords, shareWords } from './report-figures.tsx'

/** Categories that stand out from the rest of the same map; in map order, since ranks would be noise. */
export function Standings({ report }: { report: Report }) {
  const places = placesOf(report)
  const weaker = report.categories.filter(({ standing }) => standing === 'weaker')
  const stronger = report.categories.filter(({ standing }) => standing === 'stronger')
  const { tested, q } = report.statistics
  return (
    <section aria-labelledby="weaker">
      <h2 id="weaker">Categories weaker than the rest of this map</h2>
      <p>
        {tested === 0
          ? 'No category was tested: each needs a rate, and others to compare it with.'
          : `Each of ${whole(tested)} categories was tested against the mean of the others, with a false discovery rate of ${Math.round(q * 100)} %: about one name in ${Math.max(1, Math.round(1 / q))} on a list like this is chance. The list follows the map and is no ranking.`}
      </p>
      {weaker.length === 0 && tested > 0 ? (
        <p class="note">
          None stands out. That does not make them equal: with {report.epoch.sealed} tasks each,
          only large weaknesses can be told from chance.
        </p>
      ) : null}
      <div class="cards">
        {weaker.map((score) => (
          <Weaker score={score} place={places.get(score.slug)} />
        ))}
      </div>
      {stronger.length === 0 ? null : (
        <>
          <h3>Stronger than the rest, by the same test</h3>
          <ul class="columns">
            {stronger.map((score) => (
              <li>
                <a href={`#${categoryAnchor(score.slug)}`}>{score.title}</a>
                {score.cell.shown ? `, ${shareWords(score.cell.fixed)} fixed` : ''}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

type Place = { reference: string; domain: string }

function Weaker({ score, place }: { score: CategoryScore; place: Place | undefined }) {
  const meaning = meaningOf(score.slug)
  return (
    <article class="card">
      <p class="small quiet">
        {place === undefined ? null : (
          <>
            {place.reference}, <a href={`#${domainAnchor(score.domain)}`}>{place.domain}</a>
          </>
        )}
      </p>
      <h3>
        <a href={`#${categoryAnchor(score.slug)}`}>{score.title}</a>
      </h3>
      {score.cell.shown ? <WeakFigures fixed={score.cell.fixed} /> : null}
      {meaning === undefined ? null : (
        <>
          <p>
            <strong>Right:</strong> {meaning.edge}
          </p>
          <p>
            <strong>Typical fault:</strong> {meaning.fault}
          </p>
        </>
      )}
    </article>
  )
}

function WeakFigures({ fixed }: { fixed: Rate }) {
  const { count, of, rate, low, high } = fixed
  return (
    <>
      {rate === null || low === null || high === null ? null : (
        <IntervalBar share={rate} low={low} high={high} />
      )}
      <p class="small number">
        {count} of {of} fixed, {shareWords(fixed)} ({rangeWords(fixed)})
      </p>
    </>
  )
}

function placesOf(report: Report): Map<string, Place> {
  return new Map(
    reportGrid(report).flatMap((row) =>
      row.cells.map(({ slug, reference }) => [slug, { reference, domain: row.title }] as const),
    ),
  )
}
