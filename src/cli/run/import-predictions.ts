import { canonicalSha256 } from '../../protocol/digest.ts'
import { toInstant } from '../../protocol/instant.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { shown } from '../model/call-failure.ts'
import { CLIENT } from '../package-info.ts'
import { openPredictions, type Predicted, type Predictions } from '../predictions.ts'
import { Progress } from '../terminal/progress.ts'
import { type PulledEpoch, requireEpoch } from '../workspace/epochs.ts'
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
const PAUSE_EVERY = 256

/** Reads patches that were made elsewhere into a run of their own; the same file is the same run. */
export async function importPredictions(context: Context, wish: ImportWish): Promise<OpenRun> {
  const epoch = requireEpoch(context.config.workspace, wish.epoch)
  const prompts = Prompts.open(epoch)
  const opened = openPredictions(wish.file, {
    format: wish.format,
    isTask: (instanceId) => prompts.find(instanceId) !== undefined,
    promptOf: (instanceId) => {
      const task = prompts.find(instanceId)
      return task === undefined ? undefined : prompts.whole(task)
    },
  })
  try {
    if (!opened.ok) throw opened.error
    return await keepInRun(context, wish, epoch, opened.value)
  } finally {
    if (opened.ok) opened.value.close()
    prompts.close()
  }
}

async function keepInRun(
  context: Context,
  wish: ImportWish,
  { view }: PulledEpoch,
  predictions: Predictions,
): Promise<OpenRun> {
  const { io, config, warn } = context
  const { unknown } = predictions
  const model = wish.model ?? predictions.model
  if (model === null) {
    throw new Failure(EXIT.usage, `${wish.file} names no model`, { next: 'give --model NAME' })
  }
  if (unknown.length > 0) {
    warn(
      `${unknown.length} ids are no task of this epoch: ${unknown
        .slice(0, 5)
        .map((id) => shown(id))
        .join(', ')}`,
    )
  }
  const run = await openRun({
    workspace: config.workspace,
    epoch: { id: view.card.id, prompts: view.card.prompts.sha256 },
    settings: await settingsOf(model, predictions.sha256, wish.format),
    run: undefined,
    resume: true,
    nowMs: io.now(),
    now: io.now,
    randomBytes: io.randomBytes,
  })
  try {
    tell(context, run, await keepAll(run, predictions, context))
    return run
  } catch (error) {
    await run.journal.close()
    run.lock.release()
    throw error
  }
}

/** The way of reading is part of the digest: read otherwise, the same bytes are another run. */
async function settingsOf(model: string, sha256: string, format: string | undefined) {
  return {
    source: 'predictions',
    model,
    model_digest: await canonicalSha256({ sha256, format: format ?? null, client: CLIENT.version }),
    endpoint: null,
    system: null,
    temperature: null,
    top_p: null,
    seed: null,
    max_tokens: null,
    num_ctx: null,
    time_limit_seconds: null,
    max_checks: null,
  } as const
}

type Notes = { shown: string[]; count: number }

/** One patch after another from the file to the journal: none is held. */
async function keepAll(
  { journal }: OpenRun,
  predictions: Predictions,
  { io, isJson }: Context,
): Promise<Notes> {
  const progress = new Progress({
    sink: io.stderr,
    now: io.now,
    total: predictions.count,
    done: Math.min(journal.size, predictions.count),
    noun: 'patches',
  })
  const answeredAt = toInstant(io.now() / 1000)
  const notes: Notes = { shown: [], count: 0 }
  let kept = 0
  for (const predicted of predictions.answers((id) => !journal.has(id))) {
    journal.record(toAnswer(predicted, answeredAt))
    if (!isJson) progress.advance(null)
    for (const note of predicted.notes) {
      notes.count += 1
      if (notes.shown.length < NOTES_SHOWN) notes.shown.push(`${predicted.instanceId}: ${note}`)
    }
    kept += 1
    if (kept % PAUSE_EVERY !== 0) continue
    // A loop that never waits would not hear Ctrl-C.
    await journal.flush()
    if (io.interrupted.aborted) throw new Failure(EXIT.interrupted, 'stopped while reading')
  }
  await journal.flush()
  if (!isJson && kept > 0) progress.finish()
  return notes
}

function tell({ warn }: Context, { journal }: OpenRun, { shown, count }: Notes): void {
  const { ok: patches = 0 } = journal.counts()
  warn(`${patches} patches read, ${journal.size - patches} records without one`)
  for (const note of shown) warn(`  ${note}`)
  if (count > shown.length) warn(`  and ${count - shown.length} more notes`)
}

function toAnswer(predicted: Predicted, answeredAt: string): Answer {
  return {
    instance_id: predicted.instanceId,
    status: predicted.module === null ? predicted.reason : 'ok',
    module: predicted.module,
    cause: null,
    reply: '',
    notes: predicted.notes,
    finish_reason: null,
    usage: null,
    reasoning_characters: 0,
    max_tokens: null,
    attempts: 1,
    latency_ms: 0,
    answered_at: answeredAt,
  }
}
