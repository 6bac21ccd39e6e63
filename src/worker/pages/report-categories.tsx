import type { CategoryScore, Report, Standing } from '../../protocol/report.ts'
import { whole } from './figures.ts'
import { categoryAnchor, domainAnchor, SUPPRESSION_WORDS } from './grid.ts'
import { meaningOf } from './meanings/all.ts'
import { rangeWords, shareWords } from './report-figures.tsx'

const STANDING_WORDS: Record<Standing, string> = {
  weaker: 'weaker',
  stronger: 'stronger',
  unresolved: '',
  untested: '',
}

/** The map as a table: every cell of it, and an operator's own categories apart. */
export function CategoryTable({ report }: { report: Report }) {
  const { overlay } = report
  return (
    <section aria-labelledby="categories">
      <h2 id="categories">All categories</h2>
      <div class="scroll">
        <table class="categories">
          <caption>
            The map as a table. Share of sealed tasks fixed with its 95 % interval, and the gap: the
            share that passes every visible check and fails a hidden one.
          </caption>
          <Head />
          {report.domains.map((domain, row) => (
            <tbody>
              <Group id={domainAnchor(domain.slug)} title={domain.title} />
              {report.categories
                .filter((score) => score.domain === domain.slug)
                .map((score, column) => (
                  <Row score={score} reference={`${String.fromCodePoint(65 + row)}${column + 1}`} />
                ))}
            </tbody>
          ))}
        </table>
      </div>
      {overlay === null ? null : (
        <>
          <h3>The operator's own categories</h3>
          <p>
            Private to the operator, and in none of the numbers above.
            {overlay.overall.shown
              ? ` ${whole(overlay.overall.fixed.count)} of ${whole(overlay.overall.fixed.of)} tasks fixed, ${shareWords(overlay.overall.fixed)}.`
              : ''}
          </p>
          <div class="scroll">
            <table class="categories">
              <Head />
              <tbody>
                {overlay.categories.map((score, index) => (
                  <Row score={score} reference={`+${index + 1}`} />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </section>
  )
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col">Cell</th>
        <th scope="col">Category</th>
        <th scope="col" class="number wide-only">
          Fixed
        </th>
        <th scope="col" class="number">
          Share, interval
        </th>
        <th scope="col" class="number wide-only">
          Gap
        </th>
        <th scope="col" class="wide-only">
          Against the rest
        </th>
      </tr>
    </thead>
  )
}

function Group({ id, title }: { id: string; title: string }) {
  return (
    <tr id={id}>
      <th class="group" scope="rowgroup" colspan={6}>
        {title}
      </th>
    </tr>
  )
}

function Row({ score, reference }: { score: CategoryScore; reference: string }) {
  const { cell, slug, title, standing } = score
  const meaning = meaningOf(slug)
  return (
    <tr id={categoryAnchor(slug)}>
      <td class="quiet number">{reference}</td>
      <th scope="row">
        {title}
        {meaning === undefined ? null : <span class="edge wide-only">{meaning.edge}</span>}
      </th>
      {cell.shown ? (
        <>
          <td class="number wide-only">
            {whole(cell.fixed.count)} of {whole(cell.fixed.of)}
          </td>
          <td class="number">
            {shareWords(cell.fixed)}
            <span class="edge">{rangeWords(cell.fixed)}</span>
          </td>
          <td class="number wide-only">{shareWords(cell.gap)}</td>
          <td class="wide-only">{STANDING_WORDS[standing]}</td>
        </>
      ) : (
        <td colspan={4} class="quiet">
          {SUPPRESSION_WORDS[cell.why]}
        </td>
      )}
    </tr>
  )
}
