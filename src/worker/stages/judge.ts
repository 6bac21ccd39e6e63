import { z } from 'zod'
import { canonicalJson } from '../../protocol/canonical.ts'
import { sha256Hex } from '../../protocol/digest.ts'
import { parseInstanceId } from '../../protocol/ids.ts'
import type { Patch } from '../../protocol/patch.ts'
import { judgedParts } from '../../protocol/policy.ts'
import type { ShardRequest, WorkMessage } from '../../protocol/shard.ts'
import { PROTOCOL_VERSION } from '../../protocol/tally.ts'
import { cardOf } from '../card.ts'
import type { Deps } from '../deps.ts'
import { parseShard } from '../patches/parse.ts'
import { type Asked, tallyFault } from '../sandbox/fit.ts'
import type { SandboxFault } from '../sandbox/sandbox.ts'
import { blobKeys } from '../store/blobs.ts'
import { findCategory, findEpoch } from '../store/epochs.ts'
import { findShard, noteFault } from '../store/shards.ts'
import { findSubmission, type SubmissionRow } from '../store/submissions.ts'
import { hasTally, insertTally } from '../store/tallies.ts'

export type ShardMessage = Extract<WorkMessage, { kind: 'shard' }>

/** `done`: the message has served. `fault`: ours; the message must come again. */
export type Judged = { done: true } | { done: false; fault: SandboxFault }

/**
 * Takes one shard to the sandbox and stores its tally. Safe to run twice, late, or for a submission
 * that has ended: the first tally of a shard stays and every mark is made once.
 */
export async function judge(deps: Deps, message: ShardMessage): Promise<Judged> {
  const { submission: id, category } = message
  const submission = await findSubmission(deps.db, id)
  if (submission === undefined) throw new Error('a shard of no submission')
  if (submission.state !== 'received' && submission.state !== 'judging') return { done: true }

  if (!(await hasTally(deps.db, id, category))) {
    const fault = await judgeOnce(deps, submission, message)
    if (fault !== undefined) {
      deps.log('shard-fault', { submission: id, category, kind: fault.kind, why: fault.why })
      if (fault.kind !== 'busy' && fault.kind !== 'away') {
        await noteFault(deps.db, id, category, fault.kind)
      }
      return { done: false, fault }
    }
  }
  const { complete } = await deps.progress.mark(id, category, submission.shardsTotal)
  if (complete) await deps.work.send([{ v: 1, kind: 'close', submission: id }])
  return { done: true }
}

async function judgeOnce(
  deps: Deps,
  submission: SubmissionRow,
  message: ShardMessage,
): Promise<SandboxFault | undefined> {
  const { request, asked } = await shardRequest(deps, submission, message)
  const reply = await deps.sandbox.judge(request)
  if (!reply.ok) return reply.error
  const tally = reply.value
  const fault = tallyFault(tally, asked, deps.settings.development)
  if (fault !== undefined) return fault

  const mine = canonicalJson(tally)
  const row = { submission: submission.id, category: message.category, tally: mine }
  const stored = await insertTally(deps.db, { ...row, createdAt: deps.now() })
  // Two deliveries judged the same bytes: the first tally counts, and a difference is worth a look.
  if (stored.tally !== mine) deps.log('tallies-differ', { ...message })
  return undefined
}

/** What the sandbox is asked, and what its answer will be measured by. */
async function shardRequest(
  deps: Deps,
  submission: SubmissionRow,
  message: ShardMessage,
): Promise<{ request: ShardRequest; asked: Asked }> {
  const { category } = message
  const [shard, epoch, drawn] = await Promise.all([
    findShard(deps.db, submission.id, category),
    findEpoch(deps.db, submission.epoch),
    findCategory(deps.db, submission.epoch, category),
  ])
  if (shard === undefined || epoch === undefined || drawn === undefined) {
    throw new Error('a shard without its row, epoch or category')
  }
  if (shard.sha256 !== message.digest) throw new Error('a message for other bytes')
  const key = deps.settings.epochKeys.get(epoch.id)
  if (key === undefined) throw new Error('no root key for the epoch')

  const blob = blobKeys.upload(submission.id, submission.upload ?? '')
  const bytes = await deps.blobs.range(blob, shard.offset, shard.bytes)
  if (bytes === null || (await sha256Hex(bytes)) !== shard.sha256) {
    throw new Error('the stored patches are not what was received')
  }
  const card = cardOf(epoch)
  const practice = new Set(numbersSchema.parse(JSON.parse(drawn.practice)))
  const isPractice = (id: string) => practice.has(parseInstanceId(id)?.number ?? 0)
  const judged = judgedParts(submission.part)
  const patches = parseShard(bytes).map(
    ({ instance_id, module }): Pick<Patch, 'instance_id' | 'module'> => ({
      instance_id,
      module: judged.includes(isPractice(instance_id) ? 'practice' : 'sealed') ? module : null,
    }),
  )
  const unanswered = patches.filter(({ module }) => module === null)
  const unansweredPractice = unanswered.filter(({ instance_id }) => isPractice(instance_id)).length
  return {
    request: {
      protocol: PROTOCOL_VERSION,
      corpus: card.corpus,
      epoch: { id: epoch.id, key, practice: card.practice, sealed: card.sealed },
      category,
      counters: numbersSchema.parse(JSON.parse(drawn.counters)),
      submission: submission.id,
      patches,
    },
    asked: {
      card,
      submission: submission.id,
      category,
      unanswered: {
        practice: unansweredPractice,
        sealed: unanswered.length - unansweredPractice,
      },
    },
  }
}

const numbersSchema = z.array(z.int())
