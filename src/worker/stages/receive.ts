import { type EpochCard, epochPhase } from '../../protocol/epoch.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { visibleProgress } from '../../protocol/policy.ts'
import type { ProblemSlug, Refusal } from '../../protocol/problem.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { type Body, BodyError } from '../body.ts'
import { cardOf } from '../card.ts'
import type { Deps } from '../deps.ts'
import { describeError } from '../log.ts'
import { shardMessage } from '../messages.ts'
import { taskOrder } from '../patches/order.ts'
import { type PatchesRead, readPatches } from '../patches/read.ts'
import { blobKeys } from '../store/blobs.ts'
import { findEpoch } from '../store/epochs.ts'
import { listUnjudged } from '../store/shards.ts'
import { markJudging, receivePatches, type SubmissionRow } from '../store/submissions.ts'
import { deleteUpload, insertUpload } from '../store/uploads.ts'

/** What the lines of one category may take, so that the sandbox takes the request made of them. */
const MOST_SHARD_BYTES = LIMITS.shardBytes - LIMITS.requestBytes

const refuse = (slug: ProblemSlug, detail?: string, errors?: Refusal['errors']) =>
  err<Refusal>({
    slug,
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { errors }),
  })

/**
 * Takes the patches of an open submission: one pass over the stream, stored as one blob, then one
 * message per category. `bodySha256` is the digest that the request was signed for. A broken upload
 * leaves nothing behind and can be repeated; a finished one is not read again.
 */
export async function receive(
  deps: Deps,
  submission: SubmissionRow,
  bodySha256: string,
  body: Body,
): Promise<Result<SubmissionRow, Refusal>> {
  if (bodySha256 !== submission.patchesSha256) {
    return refuse('patches-mismatch', 'the request was signed for another digest')
  }
  const epoch = await findEpoch(deps.db, submission.epoch)
  if (epoch === undefined) throw new Error('a submission without its epoch')
  const card = cardOf(epoch)
  const nowSeconds = Math.floor(deps.now() / 1000)
  const { state: shown } = visibleProgress(
    card,
    submission.part,
    { state: submission.state, total: 0, done: 0 },
    nowSeconds,
  )
  // What may be seen decides: before a release nobody learns that a submission could not be judged.
  if (shown === 'cancelled' || shown === 'incomplete') {
    return refuse('submission-state', `the submission is ${shown}`)
  }
  if (submission.state !== 'open') return ok(submission)
  if (epochPhase(card, nowSeconds) !== 'open') {
    return refuse('epoch-closed', `closed ${card.closes_at}`)
  }

  const stored = await storeUpload(deps, submission, card, body)
  return stored.ok ? ok(await enqueue(deps, stored.value)) : stored
}

async function storeUpload(
  deps: Deps,
  submission: SubmissionRow,
  card: EpochCard,
  body: Body,
): Promise<Result<SubmissionRow, Refusal>> {
  const slugs = card.categories.map(({ slug }) => slug)
  const order = taskOrder(slugs, card.practice + card.sealed)

  const upload = Buffer.from(deps.random(12)).toString('hex')
  const key = blobKeys.upload(submission.id, upload)
  // Noted before the first byte, so that the sweep finds what a crash leaves behind.
  await insertUpload(deps.db, { id: upload, submission: submission.id, startedAt: deps.now() })
  const blob = deps.blobs.writer(key)
  const drop = async () => {
    await blob.abort()
    await deleteUpload(deps.db, upload)
  }

  let read: PatchesRead
  try {
    const chunks = body.chunks(submission.patchesBytes)
    read = await readPatches(chunks, order, (bytes) => blob.write(bytes))
  } catch (error) {
    await drop()
    if (error instanceof BodyError) return refuse(error.slug, error.message)
    throw error
  }
  const refusal = compare(submission, read)
  if (refusal !== undefined) {
    await drop()
    return err(refusal)
  }
  await blob.finish()

  const row = await receivePatches(deps.db, submission.id, upload, read.shards, deps.now())
  if (row === undefined) throw new Error('the submission has gone')
  if (row.upload === upload) return ok(row)
  // Another upload of the same bytes was first, or the submission was cancelled meanwhile.
  await deps.blobs.remove(key)
  await deleteUpload(deps.db, upload)
  return row.upload === null
    ? refuse('submission-state', `the submission is ${row.state}`)
    : ok(row)
}

/** Digest first: a byte that changed on the way is a broken upload, whatever it did to the lines. */
function compare(submission: SubmissionRow, read: PatchesRead): Refusal | undefined {
  if (read.bytes < submission.patchesBytes) {
    const detail = `${read.bytes} of ${submission.patchesBytes} bytes arrived`
    return { slug: 'body-incomplete', detail }
  }
  if (read.bytes !== submission.patchesBytes || read.sha256 !== submission.patchesSha256) {
    const detail = `${read.bytes} bytes with digest ${read.sha256} arrived`
    return { slug: 'patches-mismatch', detail }
  }
  if (read.faults.length > 0) return { slug: 'patches-invalid', errors: read.faults }
  const large = read.shards.find(({ bytes }) => bytes > MOST_SHARD_BYTES)
  return large === undefined
    ? undefined
    : {
        slug: 'body-too-large',
        detail: `the lines of ${large.category} take ${large.bytes} bytes, at most ${MOST_SHARD_BYTES}`,
      }
}

/** One message per shard. If the queue fails, the sweep queues them later: the patches are safe. */
async function enqueue(deps: Deps, row: SubmissionRow): Promise<SubmissionRow> {
  const shards = await listUnjudged(deps.db, row.id)
  const messages = shards.map((shard) => shardMessage(row.id, shard))
  try {
    await deps.work.send(messages)
    await markJudging(deps.db, row.id, deps.now())
    deps.log('received', { submission: row.id, shards: messages.length })
    return { ...row, state: 'judging' }
  } catch (error) {
    deps.log('queue-failed', { submission: row.id, ...describeError(error) })
    return row
  }
}
