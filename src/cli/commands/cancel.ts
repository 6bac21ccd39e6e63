import { routePath } from '../../protocol/routes.ts'
import { openedSubmissionSchema } from '../../protocol/submission.ts'
import { chooseSubmission } from '../submit/choose.ts'
import type { Verb } from '../verb.ts'
import { listRuns } from '../workspace/runs.ts'
import { forgetSubmissionState, readSubmissionState } from '../workspace/submission-state.ts'

export const cancel: Verb = {
  name: 'cancel',
  aliases: ['delete-run'],
  summary: 'withdraw a submission whose patches have not arrived; its run stays',
  examples: ['failmap cancel', 'failmap cancel sub_…'],
  build(command) {
    command.argument('[submission]', 'submission or run id (default: the newest submission)')
  },
  async run(context, command) {
    const { workspace } = context.config
    const id = chooseSubmission(workspace, command.args[0])
    const api = context.api(await context.signer())
    const path = routePath('submission', id)
    const { state } = await api.json({ method: 'DELETE', path }, openedSubmissionSchema)
    // The same patches may be submitted again, under a manifest of their own.
    for (const { folder } of listRuns(workspace)) {
      if (readSubmissionState(folder)?.submission === id) forgetSubmissionState(folder)
    }
    return {
      data: { submission: id, state },
      text: `${id}  ${state}\nthe run and its answers stay; submit sends them anew`,
    }
  },
}
