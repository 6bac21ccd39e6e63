import { PROBLEM_SLUGS, PROBLEMS, type ProblemSlug } from '../../protocol/problem.ts'
import { routePath } from '../../protocol/routes.ts'
import { renderLayout } from './layout.tsx'
import type { Page } from './page.ts'
import { PROBLEM_TEXTS } from './problem-texts.ts'

export type ProblemPage = { slug: ProblemSlug }

/** The page that the `type` of a problem document points at. */
export function renderProblem({ slug }: ProblemPage): Page {
  const { status, title, next } = PROBLEMS[slug]
  const { means, steps } = PROBLEM_TEXTS[slug]
  return renderLayout({
    title,
    description: `${title}. ${next}`,
    children: (
      <>
        <p class="eyebrow">
          Refusal <code>{slug}</code>, status {status}
        </p>
        <h1>{title}</h1>
        <p class="lede">{means}</p>
        <section aria-labelledby="next">
          <h2 id="next">What to do next</h2>
          <p>{next}</p>
          <ul>
            {steps.map((step) => (
              <li>{step}</li>
            ))}
          </ul>
        </section>
        <p>
          <a href={`${routePath('docs')}#refusals`}>All refusals</a>
        </p>
      </>
    ),
  })
}

/** The closed list, as a part of the API page. */
export function ProblemList() {
  return (
    <section aria-labelledby="refusals">
      <h2 id="refusals">Refusals</h2>
      <p>
        Every refusal is an <code>application/problem+json</code> document. Match on the last part
        of its <code>type</code>, which never changes; titles may.
      </p>
      <table>
        <caption class="visually-hidden">All refusals by status</caption>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Slug</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {PROBLEM_SLUGS.map((slug) => (
            <tr>
              <td>{PROBLEMS[slug].status}</td>
              <th scope="row">
                <a href={routePath('problem', slug)}>{slug}</a>
              </th>
              <td>{PROBLEMS[slug].title}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
