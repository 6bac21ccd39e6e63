import { type WorkMessage, workMessageSchema } from '../protocol/shard.ts'
import type { EndReason } from '../protocol/submission.ts'
import type { Deps } from './deps.ts'
import { describeError } from './log.ts'
import { AWAY_SECONDS, isAway, noteAway, signOfLife } from './patience.ts'
import type { FaultKind } from './sandbox/sandbox.ts'
import { close } from './stages/close.ts'
import { judge } from './stages/judge.ts'
import { giveUp, sweep } from './stages/sweep.ts'
import { insertDeadLetter } from './store/dead-letters.ts'
import { findShard } from './store/shards.ts'
import { hasTally } from './store/tallies.ts'

export const WORK_QUEUE = 'failmap-work'
export const DEAD_QUEUE = 'failmap-dead'
export const SWEEP_CRON = '* * * * *'

/** Seconds before a shard is offered again to a sandbox whose lanes were all taken. */
const BUSY_SECONDS = 2
/** Seconds before other versions are tried again: a rollout takes minutes. */
const ROLLOUT_SECONDS = 120
const LONGEST_BACKOFF_SECONDS = 600

/** Settles the messages of a batch one by one; an unknown queue throws before anything is touched. */
export async function handleQueue(batch: MessageBatch<unknown>, deps: Deps): Promise<void> {
  switch (batch.queue) {
    case WORK_QUEUE:
      await Promise.all(batch.messages.map((message) => settle(message, deps)))
      return
    case DEAD_QUEUE:
      for (const message of batch.messages) await bury(message, deps)
      return
    default:
      throw new Error('a batch of an unknown queue')
  }
}

/** Runs the cron of a known schedule; an unknown one throws before anything is touched. */
export async function handleCron(cron: string, deps: Deps): Promise<void> {
  if (cron !== SWEEP_CRON) throw new Error('an unknown cron schedule')
  await sweep(deps)
}

/**
 * One message, acknowledged only after its work is stored. What throws, an unknown message included,
 * comes again and ends in the dead letters.
 */
async function settle(message: Message<unknown>, deps: Deps): Promise<void> {
  try {
    const work = workMessageSchema.parse(message.body)
    const wait = await perform(work, message, deps)
    if (wait === undefined) message.ack()
    else message.retry({ delaySeconds: wait })
  } catch (error) {
    deps.log('message-failed', { message: message.id, ...describeError(error) })
    message.retry({ delaySeconds: backoff(message.attempts) })
  }
}

/** Does the work of a message; answers after how many seconds it must come again, if at all. */
async function perform(
  work: WorkMessage,
  message: Message<unknown>,
  deps: Deps,
): Promise<number | undefined> {
  if (work.kind === 'close') {
    await close(deps, work.submission)
    return undefined
  }
  if (isAway(deps)) return wait(deps, work, AWAY_SECONDS)
  const judged = await judge(deps, work)
  if (judged.done) return undefined
  switch (judged.fault.kind) {
    case 'busy':
      return wait(deps, work, BUSY_SECONDS)
    case 'away':
      noteAway(deps)
      return wait(deps, work, AWAY_SECONDS)
    case 'versions_differ':
      return ROLLOUT_SECONDS
    case 'sandbox_failed':
    case 'controls_failed':
    case 'isolation_missing':
      return backoff(message.attempts)
  }
}

/** A new message instead of a retry: waiting for a sandbox must not use up deliveries. */
async function wait(deps: Deps, work: WorkMessage, seconds: number): Promise<undefined> {
  await deps.work.send([work], seconds)
  await signOfLife(deps, work.submission)
}

const backoff = (attempts: number): number => Math.min(5 * 2 ** attempts, LONGEST_BACKOFF_SECONDS)

const END_REASONS: Partial<Record<string, EndReason>> = {
  controls_failed: 'controls_failed',
  versions_differ: 'versions_differ',
} satisfies Partial<Record<FaultKind, EndReason>>

/** A message that used up its deliveries becomes a row; a shard that stays unjudged ends its submission. */
async function bury(message: Message<unknown>, deps: Deps): Promise<void> {
  try {
    const work = workMessageSchema.safeParse(message.body)
    // An unknown body may hold anything, so only what we know is kept.
    const body = JSON.stringify(work.success ? work.data : { unknown: true })
    await insertDeadLetter(deps.db, { id: message.id, body, createdAt: deps.now() })
    deps.log('dead-letter', { message: message.id, known: work.success })
    if (work.success && work.data.kind === 'shard') {
      const { submission, category } = work.data
      const shard = await findShard(deps.db, submission, category)
      // A twin of the message may have been judged; then the shard needs nobody's pity.
      if (shard !== undefined && !(await hasTally(deps.db, submission, category))) {
        await giveUp(deps, submission, END_REASONS[shard.fault ?? ''] ?? 'sandbox_failed')
      }
    }
    message.ack()
  } catch (error) {
    deps.log('message-failed', { message: message.id, ...describeError(error) })
    message.retry({ delaySeconds: backoff(message.attempts) })
  }
}
