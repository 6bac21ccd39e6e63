import { routePath } from '../../protocol/routes.ts'
import {
  type SubmissionView,
  submissionListSchema,
  submissionViewSchema,
} from '../../protocol/submission.ts'
import { chooseSubmission } from '../submit/choose.ts'
import { describe, exitOf, isEnded, waitForEnd } from '../submit/wait.ts'
import { practiceText } from '../terminal/practice.ts'
import type { Verb } from '../verb.ts'

export const status: Verb = {
  name: 'status',
  summary: 'state of a submission (default: the newest of this workspace)',
  examples: ['failmap status', 'failmap status sub_… --json', 'failmap status --all'],
  build(command) {
    command
      .argument('[submission]', 'submission or run id')
      .option('--all', 'every submission of the organisation, newest first')
  },
  async run(context, command) {
    const api = context.api(await context.signer())
    if (command.opts<{ all?: boolean }>().all === true) {
      const list = await api.get(routePath('submissions'), submissionListSchema)
      const text = list.submissions.map(describe).join('\n')
      return { data: list, text: text === '' ? 'no submissions yet' : text }
    }
    const id = chooseSubmission(context.config.workspace, command.args[0])
    const view = await api.get(routePath('submission', id), submissionViewSchema)
    return { data: view, text: [describe(view), practiceText(view)].join('\n'), exit: exitOf(view) }
  },
}

export const watch: Verb = {
  name: 'watch',
  summary: 'follow a submission until it is scored',
  examples: ['failmap watch', 'failmap watch sub_…'],
  build(command) {
    command.argument('[submission]', 'submission or run id')
  },
  async run(context, command) {
    const id = chooseSubmission(context.config.workspace, command.args[0])
    const view = await waitForEnd(context, context.api(await context.signer()), id)
    return {
      data: view,
      text: [describe(view), practiceText(view), nextLine(view, context.commandLine)]
        .filter((line) => line !== '')
        .join('\n'),
      exit: exitOf(view, context.io.interrupted),
    }
  },
}

/** Nothing ends a watch before its submission but Ctrl-C. */
function nextLine(view: SubmissionView, commandLine: string): string {
  if (!isEnded(view)) return `next: ${commandLine}`
  return view.report === undefined ? '' : 'next: failmap report'
}
