import type { Report } from '../../protocol/report.ts'

/** What a reader must not conclude from a report. */
export function Limits({ report }: { report: Report }) {
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">What this does not tell you</h2>
      <ul>
        <li>
          A signature proves who sent which bytes. It does not prove that a local model, or any
          model, wrote them.
        </li>
        <li>
          The task generators are public and the seed is secret. That hides inputs and variants, not
          the idea of a fix: whoever studies a generator can prepare for it.
        </li>
        <li>
          A cell of {report.epoch.sealed} tasks is uncertain by about eleven points and more in
          either direction. The map shows where to look. It ranks neither categories nor models.
        </li>
        <li>
          Single modules of 15 to 80 lines in Python, standard library only: it says nothing about
          large code bases, other languages, or writing code from nothing.
        </li>
      </ul>
    </section>
  )
}
