import { routePath } from '../../protocol/routes.ts'
import { type SubmissionView, submissionViewSchema } from '../../protocol/submission.ts'
import type { Context } from '../context.ts'
import { EXIT, type Exit } from '../exit.ts'

const FIRST_POLL_MS = 500
const SLOWEST_POLL_MS = 5_000

const ENDED: readonly SubmissionView['state'][] = ['scored', 'incomplete', 'cancelled']

export const isEnded = ({ state }: SubmissionView): boolean => ENDED.includes(state)

/**
 * Follows a submission until it ends or Ctrl-C; there is no other limit. What it ends with is for
 * the caller to print.
 */
export async function waitForEnd(
  context: Context,
  api: ReturnType<Context['api']>,
  submission: string,
): Promise<SubmissionView> {
  const { io } = context
  let shown = ''
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.3, SLOWEST_POLL_MS)) {
    const view = await api.get(routePath('submission', submission), submissionViewSchema)
    if (isEnded(view) || io.interrupted.aborted) return view
    const line = describe(view)
    if (line !== shown) context.tell(line)
    shown = line
    await io.sleep(pause, io.interrupted)
  }
}

/** State and progress on one line. */
export function describe({ id, state, shards, reason, release_at }: SubmissionView): string {
  const parts = [`${id}  ${state}`]
  if (state === 'judging' || state === 'received') {
    parts.push(`${shards.done}/${shards.total} categories judged`)
  }
  if (reason !== undefined) parts.push(`reason: ${reason}`)
  if (release_at !== undefined) parts.push(`report from ${release_at}`)
  return parts.join('  ')
}

/** Scored is done, still on its way is done for now unless it was being followed, the rest is partial. */
export function exitOf(view: SubmissionView, interrupted?: AbortSignal): Exit {
  if (!isEnded(view) && interrupted?.aborted === true) return EXIT.interrupted
  return view.state === 'incomplete' || view.state === 'cancelled' ? EXIT.partial : EXIT.done
}
