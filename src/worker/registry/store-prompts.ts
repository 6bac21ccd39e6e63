import { createHash } from 'node:crypto'
import type { EpochCard } from '../../protocol/epoch.ts'
import { parseInstanceId } from '../../protocol/ids.ts'
import { LIMITS } from '../../protocol/limits.ts'
import type { ProblemSlug, Refusal } from '../../protocol/problem.ts'
import { promptSchema } from '../../protocol/prompt.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { readShape } from '../../protocol/shape.ts'
import { type Body, BodyError, splitLines } from '../body.ts'
import { cardOf } from '../card.ts'
import type { Deps } from '../deps.ts'
import { taskOrder } from '../patches/order.ts'
import { type BlobWriter, blobKeys } from '../store/blobs.ts'
import { type EpochRow, markPromptsStored, type PracticeNumbers } from '../store/epochs.ts'

const refuse = (slug: ProblemSlug, detail: string) => err<Refusal>({ slug, detail })

/**
 * Stores the prompts of an epoch in one pass. They must be the very bytes of the drawing, one line
 * per task in order, and of exactly the public shape: an unknown member could carry a hidden check.
 */
export async function storePrompts(
  deps: Deps,
  epoch: EpochRow,
  body: Body,
): Promise<Result<true, Refusal>> {
  if (epoch.promptsStoredAt !== null) return ok(true)
  const card = cardOf(epoch)
  const blob = deps.blobs.writer(blobKeys.prompts(epoch.id, card.prompts.sha256))
  try {
    const read = await readPrompts(body, card, blob)
    if (read.ok) {
      await blob.finish()
      await markPromptsStored(deps.db, epoch.id, read.value, deps.now())
      return ok(true)
    }
    await blob.abort()
    return read
  } catch (error) {
    await blob.abort()
    if (error instanceof BodyError) return refuse(error.slug, error.message)
    throw error
  }
}

async function readPrompts(
  body: Body,
  card: EpochCard,
  blob: BlobWriter,
): Promise<Result<PracticeNumbers, Refusal>> {
  const perCategory = card.practice + card.sealed
  const order = taskOrder(
    card.categories.map(({ slug }) => slug),
    perCategory,
  )
  const practice: PracticeNumbers = Object.fromEntries(order.categories.map((slug) => [slug, []]))
  const digest = createHash('sha256')
  let count = 0
  let fault: string | undefined

  for await (const line of splitLines(body.chunks(), LIMITS.promptLineBytes)) {
    digest.update(line)
    await blob.write(line)
    const prompt = readShape(line, promptSchema)
    const position = prompt.ok ? order.position(prompt.value.instance_id) : undefined
    if (!prompt.ok || position !== count)
      fault ??= `line ${count + 1} is not the task that belongs there`
    else if (prompt.value.part === 'practice') {
      const { category, number } = parseInstanceId(prompt.value.instance_id) ?? {}
      if (category !== undefined && number !== undefined) practice[category]?.push(number)
    }
    count += 1
  }
  if (digest.digest('hex') !== card.prompts.sha256) {
    return refuse('prompts-mismatch', 'the digest is not the one of the drawing')
  }
  const isComplete = Object.values(practice).every((numbers) => numbers.length === card.practice)
  if (fault === undefined && (count !== order.total || !isComplete)) fault = 'tasks are missing'
  return fault === undefined ? ok(practice) : refuse('prompts-mismatch', fault)
}
