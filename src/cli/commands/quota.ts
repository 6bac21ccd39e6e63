import { type EpochView, epochListSchema, epochViewSchema } from '../../protocol/epoch.ts'
import type { Part } from '../../protocol/part.ts'
import { budgetOf } from '../../protocol/policy.ts'
import { routePath } from '../../protocol/routes.ts'
import { type SubmissionView, submissionListSchema } from '../../protocol/submission.ts'
import type { Verb } from '../verb.ts'

const PARTS: readonly Part[] = ['practice', 'sealed']

/** States in which a submission has given its place in the budget back (docs/decisions/0022). */
const GIVEN_BACK: readonly SubmissionView['state'][] = ['cancelled', 'incomplete']

export const quota: Verb = {
  name: 'quota',
  aliases: ['get-quotas'],
  summary: 'how many submissions each open epoch allows, and how many this organisation has made',
  examples: ['failmap quota', 'failmap quota live-2026-12 --json'],
  build(command) {
    command.argument('[epoch]', 'epoch id (default: every epoch that is open)')
  },
  async run(context, command) {
    const api = context.api(await context.signer())
    const wanted = command.args[0]
    const { epochs } = await api.get(routePath('epochs'), epochListSchema)
    const open = epochs.flatMap(({ id, phase }) => (phase === 'open' ? [id] : []))
    const ids = wanted === undefined ? open : [wanted]
    const { submissions } = await api.get(routePath('submissions'), submissionListSchema)
    const rows = []
    for (const id of ids) {
      const view = await api.get(routePath('epoch', id), epochViewSchema)
      rows.push(...PARTS.map((part) => toRow(view, part, submissions)))
    }
    const lines = rows.map(
      ({ epoch, part, budget, made }) =>
        `${epoch}  ${part}  ${made} made, ${budget === null ? 'no limit' : `${budget} allowed`}`,
    )
    return {
      data: { quotas: rows },
      text:
        lines.length === 0
          ? 'no epoch is open'
          : [
              ...lines,
              'counted from your list of submissions; withdrawn and unjudged ones are free',
            ].join('\n'),
    }
  },
}

/** The API tells the budget and the submissions; what is left follows from them. */
function toRow({ card }: EpochView, part: Part, submissions: readonly SubmissionView[]) {
  const budget = budgetOf(card.policy, part)
  const made = submissions.filter(
    (one) => one.epoch === card.id && one.part === part && !GIVEN_BACK.includes(one.state),
  ).length
  return {
    epoch: card.id,
    part,
    budget,
    made,
    left: budget === null ? null : Math.max(0, budget - made),
  }
}
