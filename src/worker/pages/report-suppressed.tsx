import type { Report } from '../../protocol/report.ts'
import { whole } from './figures.ts'

/** What this report leaves out, and the rule that left it out. */
export function Suppressed({ report }: { report: Report }) {
  const { few_tasks: fewTasks, few_answers: fewAnswers } = report.suppressed
  const missing = report.categories.filter(({ cell }) => !cell.shown && cell.why === 'not_built')
  const { min_cell: minimum } = report.policy
  return (
    <section aria-labelledby="suppressed">
      <h2 id="suppressed">What is not shown, and why</h2>
      <ul>
        <li>
          {fewTasks + fewAnswers === 0
            ? 'No category of this epoch is suppressed.'
            : `Of the categories of this epoch, ${whole(fewTasks)} have fewer than ${minimum} tasks and ${whole(fewAnswers)} were answered on fewer than ${minimum}. A rate over so few tasks would say more about single tasks than about the model, so it is not released.`}
        </li>
        <li>
          {missing.length === 0
            ? 'Every category of the map is part of this epoch.'
            : `${whole(missing.length)} of the map's 256 categories are not part of this epoch. They count neither for nor against the model.`}
        </li>
        <li>
          Verdicts of single tasks are shown for no model: they never leave the sandbox. Practice
          tasks are in none of these numbers.
        </li>
      </ul>
    </section>
  )
}
