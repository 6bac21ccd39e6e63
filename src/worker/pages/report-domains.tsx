import type { DomainScore } from '../../protocol/report.ts'
import { IntervalBar } from './bar.tsx'
import { whole } from './figures.ts'
import { domainAnchor, SUPPRESSION_WORDS } from './grid.ts'
import { rangeWords, shareWords } from './report-figures.tsx'

/** The 16 domains with their intervals, in map order. */
export function DomainTable({ domains }: { domains: readonly DomainScore[] }) {
  return (
    <section aria-labelledby="domains">
      <h2 id="domains">The sixteen domains</h2>
      <div class="scroll">
        <table>
          <caption>
            Share of sealed tasks fixed, with its 95 % interval; then the share that passes every
            visible check and fails a hidden one.
          </caption>
          <thead>
            <tr>
              <th scope="col">Domain</th>
              <th scope="col" class="number wide-only">
                Fixed
              </th>
              <th scope="col" class="number">
                Share
              </th>
              <th scope="col" class="number">
                Interval
              </th>
              <th scope="col" class="wide-only">
                0 to 100 %
              </th>
              <th scope="col" class="number">
                Gap
              </th>
            </tr>
          </thead>
          <tbody>
            {domains.map((domain, index) => (
              <tr>
                <th scope="row">
                  <span class="map-letter quiet">{String.fromCodePoint(65 + index)}</span>{' '}
                  <a href={`#${domainAnchor(domain.slug)}`}>{domain.title}</a>
                </th>
                <DomainFigures domain={domain} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function DomainFigures({ domain: { cell, categories_built: built } }: { domain: DomainScore }) {
  if (!cell.shown) {
    const words = built === 0 ? SUPPRESSION_WORDS.not_built : SUPPRESSION_WORDS[cell.why]
    return (
      <td colspan={5} class="quiet">
        {words}
      </td>
    )
  }
  const { fixed, gap } = cell
  const interval =
    fixed.low === null || fixed.high === null
      ? undefined
      : { low: fixed.low, high: fixed.high, share: fixed.rate ?? 0 }
  return (
    <>
      <td class="number wide-only">
        {whole(fixed.count)} of {whole(fixed.of)}
      </td>
      <td class="number">{shareWords(fixed)}</td>
      <td class="number">{rangeWords(fixed)}</td>
      <td class="bar-cell wide-only">
        {interval === undefined ? null : <IntervalBar {...interval} />}
      </td>
      <td class="number">{shareWords(gap)}</td>
    </>
  )
}
