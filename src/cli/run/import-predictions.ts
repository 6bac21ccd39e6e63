import { createHash } from 'node:crypto'
import { toInstant } from '../../protocol/instant.ts'
import type { Prompt } from '../../protocol/prompt.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { loadPredictions, type Predictions } from '../predictions.ts'
import { requireEpoch } from '../workspace/epochs.ts'
import type { Answer } from '../workspace/journal-lines.ts'
import { Prompts } from '../workspace/prompts.ts'
import { type OpenRun, openRun } from '../workspace/runs.ts'

export type ImportWish = {
  file: string
  format?: string | undefined
  model?: string | undefined
  epoch?: string | undefined
}

const NOTES_SHOWN = 10

/** Reads patches that were made elsewhere into a run of their own; the same file is the same run. */
export async function importPredictions(context: Context, wish: ImportWish): Promise<OpenRun> {
  const { io, config } = context
  const epoch = requireEpoch(config.workspace, wish.epoch)
  const prompts = new Prompts(epoch.promptsFile)
  try {
    const read = loadPredictions(wish.file, { format: wish.format, prompts: new ById(prompts) })
    if (!read.ok) throw read.error
    const predictions = read.value
    tell(context, predictions)
    const model = wish.model ?? predictions.model
    if (model === null) {
      throw new Failure(EXIT.usage, `${wish.file} names no model`, { next: 'give --model NAME' })
    }
    const run = await openRun({
      workspace: config.workspace,
      epoch: { id: epoch.view.card.id, prompts: epoch.view.card.prompts.sha256 },
      settings: {
        source: 'predictions',
        model,
        model_digest: digestOf(predictions),
        endpoint: null,
        system: null,
        temperature: null,
        top_p: null,
        seed: null,
        max_tokens: null,
        num_ctx: null,
        time_limit_seconds: null,
        max_checks: null,
      },
      run: undefined,
      resume: true,
      nowMs: io.now(),
      now: io.now,
      randomBytes: io.randomBytes,
    })
    const answeredAt = toInstant(io.now() / 1000)
    for (const answer of answersOf(predictions, answeredAt)) {
      if (!run.journal.has(answer.instance_id)) run.journal.record(answer)
    }
    await run.journal.flush()
    return run
  } finally {
    prompts.close()
  }
}

/** Prompts by instance id, read from the file one at a time. */
class ById extends Map<string, Prompt> {
  readonly #prompts: Prompts

  constructor(prompts: Prompts) {
    super()
    this.#prompts = prompts
  }

  override get(instanceId: string): Prompt | undefined {
    const task = this.#prompts.find(instanceId)
    return task === undefined ? undefined : this.#prompts.whole(task)
  }
}

function tell({ warn }: Context, { patches, unanswered, unknown, notes }: Predictions): void {
  warn(`${patches.size} patches read, ${unanswered.size} records without one`)
  if (unknown.length > 0) {
    warn(`${unknown.length} ids are no task of this epoch: ${unknown.slice(0, 5).join(', ')}`)
  }
  for (const note of notes.slice(0, NOTES_SHOWN)) warn(`  ${note}`)
  if (notes.length > NOTES_SHOWN) warn(`  and ${notes.length - NOTES_SHOWN} more notes`)
}

function digestOf({ patches, unanswered }: Predictions): string {
  const hash = createHash('sha256')
  for (const [id, text] of [...patches, ...unanswered].sort()) {
    hash.update(JSON.stringify([id, text]))
  }
  return hash.digest('hex')
}

function* answersOf({ patches, unanswered }: Predictions, answeredAt: string): Generator<Answer> {
  const shared = {
    cause: null,
    reply: '',
    notes: [],
    finish_reason: null,
    usage: null,
    reasoning_characters: 0,
    max_tokens: null,
    attempts: 1,
    latency_ms: 0,
    answered_at: answeredAt,
  }
  for (const [instanceId, module] of patches) {
    yield { ...shared, instance_id: instanceId, status: 'ok', module }
  }
  for (const [instanceId, reason] of unanswered) {
    if (reason === 'not_run') continue
    yield { ...shared, instance_id: instanceId, status: reason, module: null }
  }
}
