import { type EpochView, epochListSchema, epochViewSchema } from '../protocol/epoch.ts'
import { routePath } from '../protocol/routes.ts'
import type { Sending } from './api.ts'
import type { Context } from './context.ts'
import { EXIT } from './exit.ts'
import { Failure } from './failure.ts'
import { hasPrompts, saveEpoch, savePrompts } from './workspace/epochs.ts'

export type Pulled = { view: EpochView; folder: string; isFresh: boolean }

/** Brings an epoch's card and prompts into the workspace; what is there already is kept. */
export async function pullEpoch(context: Context, epoch: string | undefined): Promise<Pulled> {
  const api = context.api(null)
  const id = epoch ?? (await newestOpen(context))
  const view = await api.get(routePath('epoch', id), epochViewSchema)
  const folder = await saveEpoch(context.config.workspace, view)
  if (hasPrompts(folder, view)) return { view, folder, isFresh: false }
  const megabytes = (view.card.prompts.bytes / 1e6).toFixed(1)
  context.tell(`pulling ${view.card.prompts.count} prompts of ${id} (${megabytes} MB)`)
  const sending: Sending = {
    method: 'GET',
    path: routePath('prompts', id),
    what: 'the download of the prompts',
  }
  await api.transfer(sending, (response) => savePrompts(folder, view, response.body))
  return { view, folder, isFresh: true }
}

async function newestOpen(context: Context): Promise<string> {
  const { epochs } = await context.api(null).get(routePath('epochs'), epochListSchema)
  const open = epochs.find((epoch) => epoch.phase === 'open')
  if (open !== undefined) return open.id
  throw new Failure(EXIT.refused, 'no epoch is open', {
    why:
      epochs.length === 0
        ? `${context.config.apiOrigin} has no epoch at all`
        : `there are: ${epochs.map(({ id, phase }) => `${id} (${phase})`).join(', ')}`,
    next: 'give --epoch ID, or ask the operator when the next one opens',
  })
}
