import { reportIdSchema, toReportId } from '../../protocol/ids.ts'
import { chooseSubmission } from '../submit/choose.ts'
import { fetchReport } from '../submit/fetch-report.ts'
import { reportText } from '../terminal/report.ts'
import type { Verb } from '../verb.ts'
import { listRuns } from '../workspace/runs.ts'
import { readSubmissionState } from '../workspace/submission-state.ts'

export const report: Verb = {
  name: 'report',
  aliases: ['get-report'],
  summary: 'fetch a signed report, verify it, and draw the map',
  examples: [
    'failmap report',
    'failmap report rpt_… --json',
    'failmap report run-20261130-120000-a1b2c3',
  ],
  build(command) {
    command.argument('[report]', 'report, submission or run id (default: the newest submission)')
  },
  async run(context, command) {
    const { workspace } = context.config
    const [name] = command.args
    const isReport = name !== undefined && reportIdSchema.safeParse(name).success
    const reportId = isReport ? name : toReportId(chooseSubmission(workspace, name))
    const run = listRuns(workspace).find(({ folder }) => {
      const submission = readSubmissionState(folder)?.submission
      return submission !== undefined && toReportId(submission) === reportId
    })
    const signer = await context.signer()
    const fetched = await fetchReport(context, context.api(signer), reportId, run?.id ?? null)
    return {
      data: fetched.report,
      text: [
        reportText(fetched.report, context),
        `report:  ${fetched.file}`,
        `signed:  ${fetched.jwsFile}`,
        `verify:  failmap verify ${fetched.jwsFile} --jwks ${fetched.jwksFile}`,
        `page:    ${context.config.apiOrigin}/reports/${fetched.report.id}`,
      ].join('\n'),
    }
  },
}
