import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { LIMITS } from '../protocol/limits.ts'
import type { NoAnswerReason } from '../protocol/patch.ts'
import type { Prompt } from '../protocol/prompt.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { EXIT } from './exit.ts'
import { Failure } from './failure.ts'
import { readContainer } from './predictions-container.ts'
import { readPredictionDirectory } from './predictions-directory.ts'
import { readInstanceId } from './predictions-ids.ts'
import { predictionToModule } from './predictions-module.ts'
import { PREDICTION_FORMATS, type Prediction, readRecord } from './predictions-shapes.ts'
import { decodeText, readBytes } from './text-file.ts'

export type Predictions = {
  /** The one model that the file names; null if its shape names none. */
  model: string | null
  /** Full module text by instance id. */
  patches: Map<string, string>
  /** Tasks that have a record but no module, and why. */
  unanswered: Map<string, NoAnswerReason>
  /** Ids that are no task of the epoch, as the file writes them. */
  unknown: string[]
  /** `instance id: note` for every loosening of a rule, and what was left out. */
  notes: string[]
}

export type PredictionsContext = {
  /** Decides between JSON and JSON Lines, and names the file in messages. */
  fileName: string
  /** One of PREDICTION_FORMATS; found by the keys of the records if left out. */
  format?: string | undefined
  /** The prompts of the epoch by instance id. */
  prompts: ReadonlyMap<string, Prompt>
}

/** Reads a predictions file or folder that another harness wrote. */
export function loadPredictions(
  path: string,
  context: Omit<PredictionsContext, 'fileName'>,
): Result<Predictions, Failure> {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  return refusing(() => {
    checkFormat(context.format, isDirectory)
    if (isDirectory) return settle(readPredictionDirectory(path), [], context.prompts)
    return readText(decodeText(readBytes(path), path), { ...context, fileName: basename(path) })
  })
}

/** The same for the bytes of one file. Refusals list what they found. */
export function readPredictions(
  bytes: Uint8Array,
  context: PredictionsContext,
): Result<Predictions, Failure> {
  return refusing(() => {
    checkFormat(context.format, false)
    return readText(decodeText(bytes, context.fileName), context)
  })
}

function readText(text: string, { fileName, format, prompts }: PredictionsContext): Predictions {
  const { records, repeated } = readContainer(text, fileName)
  const read = records.map(({ value, where }) => readRecord(value, where, format))
  const faults = read.filter((record) => typeof record === 'string')
  if (faults.length > 0)
    throw new Failure(EXIT.usage, `${fileName}: ${faults.length} records cannot be read`, {
      why: listed(faults, '; '),
      next: `known shapes: ${PREDICTION_FORMATS.join(', ')}`,
    })
  return settle(
    read.filter((record) => typeof record !== 'string'),
    repeated,
    prompts,
  )
}

function settle(
  predictions: readonly Prediction[],
  repeated: readonly string[],
  prompts: ReadonlyMap<string, Prompt>,
): Predictions {
  const model = onlyModel(predictions)
  refuseDuplicates(predictions, repeated)
  const patches = new Map<string, string>()
  const unanswered = new Map<string, NoAnswerReason>()
  const unknown: string[] = []
  const notes: string[] = []
  for (const { id, text } of predictions) {
    const instanceId = readInstanceId(id)
    const prompt = prompts.get(instanceId)
    if (!prompt) {
      unknown.push(id)
      continue
    }
    const predicted = predictionToModule(text, prompt)
    if (predicted.module === null) unanswered.set(instanceId, predicted.reason)
    else patches.set(instanceId, predicted.module)
    notes.push(...predicted.notes.map((note) => `${instanceId}: ${note}`))
  }
  if (predictions.length > 0 && unknown.length === predictions.length)
    throw new Failure(EXIT.usage, 'no id of the file is a task of this epoch', {
      why: `found: ${listed(unknown)}`,
      next: 'pull the epoch that the predictions were made for',
    })
  if (unknown.length > 0) notes.push(`${unknown.length} unknown ids: ${listed(unknown)}`)
  return { model, patches, unanswered, unknown, notes }
}

/** A submission is of one model, so a file of several is split by hand, not by a guess. */
function onlyModel(predictions: readonly Prediction[]): string | null {
  const models = [...new Set(predictions.flatMap(({ model }) => model ?? []))]
  if (models.length > 1)
    throw new Failure(EXIT.usage, `${models.length} models in one file`, {
      why: listed(models),
      next: 'submit one file a model',
    })
  return models[0] ?? null
}

function refuseDuplicates(predictions: readonly Prediction[], repeated: readonly string[]): void {
  const places = new Map<string, string[]>()
  for (const { id, where } of predictions) {
    const instanceId = readInstanceId(id)
    places.set(instanceId, [...(places.get(instanceId) ?? []), where])
  }
  const duplicates = [...places]
    .filter(([, where]) => where.length > 1)
    .map(([id, where]) => `${id} (${where.join(', ')})`)
  const all = [...duplicates, ...repeated.map((id) => `${id} (same key twice)`)]
  if (all.length > 0)
    throw new Failure(EXIT.usage, `${all.length} ids have more than one answer`, {
      why: listed(all),
      next: 'keep one answer for each task',
    })
}

function checkFormat(format: string | undefined, isDirectory: boolean): void {
  if (format === undefined) return
  const expected = isDirectory
    ? ['directory']
    : PREDICTION_FORMATS.filter((name) => name !== 'directory')
  if (expected.includes(format)) return
  throw new Failure(EXIT.usage, `--format ${format} does not fit`, {
    why: isDirectory ? 'the predictions are a folder' : 'the predictions are a file',
    next: `use one of: ${expected.join(', ')}`,
  })
}

function listed(items: readonly string[], separator = ', '): string {
  const shown = items.slice(0, LIMITS.listedFaults).join(separator)
  const rest = items.length - LIMITS.listedFaults
  return rest > 0 ? `${shown}${separator}and ${rest} more` : shown
}

function refusing<T>(read: () => T): Result<T, Failure> {
  try {
    return ok(read())
  } catch (error) {
    if (error instanceof Failure) return err(error)
    throw error
  }
}
