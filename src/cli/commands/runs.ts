import type { Verb } from '../verb.ts'
import { Journal } from '../workspace/journal.ts'
import { listRuns } from '../workspace/runs.ts'
import { readSubmissionState } from '../workspace/submission-state.ts'

export const runs: Verb = {
  name: 'runs',
  aliases: ['list-runs', 'list'],
  summary: 'list the runs of this workspace',
  examples: ['failmap runs', 'failmap runs --json'],
  build() {},
  async run({ config }) {
    const rows = listRuns(config.workspace).map(({ id, folder, header }) => {
      const journal = Journal.open(folder)
      const counts = journal?.counts() ?? {}
      const answers = journal?.size ?? 0
      void journal?.close()
      return {
        run: id,
        epoch: header.epoch.id,
        model: header.settings.model,
        created_at: header.created_at,
        answers,
        counts,
        submission: readSubmissionState(folder)?.submission ?? null,
      }
    })
    const lines = rows.map(
      ({ run, epoch, model, answers, submission }) =>
        `${run}  ${epoch}  ${model}  ${answers} answers  ${submission ?? 'not submitted'}`,
    )
    return {
      data: { runs: rows },
      text:
        lines.length === 0 ? 'no runs yet; begin one: failmap run --model NAME' : lines.join('\n'),
    }
  },
}
