import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { LIMITS } from '../protocol/limits.ts'
import type { Prompt } from '../protocol/prompt.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import { EXIT } from './exit.ts'
import { Failure } from './failure.ts'
import { shown } from './model/call-failure.ts'
import { type ByteSource, openSource } from './predictions-bytes.ts'
import { readContainer } from './predictions-container.ts'
import { digestEntries, listPredictionDirectory, readEntries } from './predictions-directory.ts'
import { readInstanceId } from './predictions-ids.ts'
import { type PredictedModule, predictionToModule } from './predictions-module.ts'
import { PREDICTION_FORMATS, type Prediction, readRecord } from './predictions-shapes.ts'

/** A predictions file that was looked through; its texts are read again when they are wanted. */
export type Predictions = {
  /** The one model that the file names; null if its shape names none. */
  model: string | null
  /** Digest of the bytes. */
  sha256: string
  /** Records of tasks of the epoch. */
  count: number
  /** Ids that are no task of the epoch, as the file writes them. */
  unknown: string[]
  /** What each task of the epoch gets, one after another in the order of the file. */
  answers: (isWanted?: (instanceId: string) => boolean) => Generator<Predicted>
  close: () => void
}

export type Predicted = PredictedModule & { instanceId: string }

export type PredictionsContext = {
  /** One of PREDICTION_FORMATS; found by the keys of the records if left out. */
  format?: string | undefined
  /** The prompt of a task; undefined for an id that is no task of the epoch. */
  promptOf: (instanceId: string) => Prompt | undefined
  isTask: (instanceId: string) => boolean
}

/** What is read of a file or a folder, as often as it is asked for. */
type Readable = {
  name: string
  records: () => Iterable<Prediction>
  repeated: readonly string[]
  sha256: string
  close: () => void
}

/** Looks through a predictions file or folder that another harness wrote. Refusals list what they found. */
export function openPredictions(
  path: string,
  context: PredictionsContext,
): Result<Predictions, Failure> {
  return refusing(() => {
    const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
    checkFormat(context.format, isDirectory)
    if (isDirectory) return lookThrough(readFolder(path), context)
    return readSource(openSource(path, basename(path)), context)
  })
}

/** The same for a text that is open. */
export function readPredictions(
  source: ByteSource,
  context: PredictionsContext,
): Result<Predictions, Failure> {
  return refusing(() => {
    checkFormat(context.format, false)
    return readSource(source, context)
  })
}

function readSource(source: ByteSource, context: PredictionsContext): Predictions {
  try {
    const { records, repeated } = readContainer(source)
    refuseUnreadable(source.name, records(), context.format)
    function* read() {
      for (const { value, where } of records()) {
        const record = readRecord(value, where, context.format)
        if (typeof record !== 'string') yield record
      }
    }
    const { name, sha256, close } = source
    return lookThrough({ name, records: read, repeated, sha256: sha256(), close }, context)
  } catch (error) {
    source.close()
    throw error
  }
}

function readFolder(path: string): Readable {
  const entries = listPredictionDirectory(path)
  const records = () => readEntries(path, entries)
  return {
    name: path,
    records,
    repeated: [],
    sha256: digestEntries(path, entries),
    close: () => {},
  }
}

function refuseUnreadable(
  name: string,
  records: Iterable<{ value: unknown; where: string }>,
  format: string | undefined,
): void {
  const faults: string[] = []
  for (const { value, where } of records) {
    const record = readRecord(value, where, format)
    if (typeof record === 'string') faults.push(record)
  }
  if (faults.length === 0) return
  throw new Failure(EXIT.usage, `${name}: ${faults.length} records cannot be read`, {
    why: listed(faults, '; '),
    next: `known shapes: ${PREDICTION_FORMATS.join(', ')}`,
  })
}

/** All that can be refused is refused before the first text becomes a patch. */
function lookThrough(readable: Readable, context: PredictionsContext): Predictions {
  const models = new Set<string>()
  const places = new Map<string, string>()
  const twice = new Map<string, string>()
  const unknown: string[] = []
  let count = 0
  for (const { id, model, where } of readable.records()) {
    count += 1
    if (model !== null) models.add(model)
    const instanceId = readInstanceId(id)
    const before = places.get(instanceId)
    places.set(instanceId, where)
    if (before !== undefined) {
      twice.set(instanceId, `${twice.get(instanceId) ?? before}, ${where}`)
    } else if (!context.isTask(instanceId)) unknown.push(id)
  }
  if (count === 0) {
    throw new Failure(EXIT.usage, `${readable.name} holds no predictions`, {
      why: 'there is no record in it',
      next: 'let the tool that wrote it finish; nothing was submitted',
    })
  }
  refuseSeveral(models)
  refuseDuplicates(twice, readable.repeated)
  if (unknown.length === count)
    throw new Failure(EXIT.usage, 'no id of the file is a task of this epoch', {
      why: `found: ${listed(unknown)}`,
      next: 'pull the epoch that the predictions were made for',
    })
  function* answers(isWanted: (instanceId: string) => boolean = () => true) {
    for (const { id, text } of readable.records()) {
      const instanceId = readInstanceId(id)
      const prompt = isWanted(instanceId) ? context.promptOf(instanceId) : undefined
      if (prompt !== undefined) yield { instanceId, ...predictionToModule(text, prompt) }
    }
  }
  const { sha256, close } = readable
  return {
    model: [...models][0] ?? null,
    sha256,
    count: count - unknown.length,
    unknown,
    answers,
    close,
  }
}

/** A submission is of one model, so a file of several is split by hand, not by a guess. */
function refuseSeveral(models: ReadonlySet<string>): void {
  if (models.size > 1)
    throw new Failure(EXIT.usage, `${models.size} models in one file`, {
      why: listed([...models]),
      next: 'submit one file a model',
    })
}

function refuseDuplicates(twice: ReadonlyMap<string, string>, repeated: readonly string[]): void {
  const duplicates = [...twice].map(([id, places]) => `${id} (${places})`)
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
  const first = items
    .slice(0, LIMITS.listedFaults)
    .map((item) => shown(item, 200))
    .join(separator)
  const rest = items.length - LIMITS.listedFaults
  return rest > 0 ? `${first}${separator}and ${rest} more` : first
}

function refusing<T>(read: () => T): Result<T, Failure> {
  try {
    return ok(read())
  } catch (error) {
    if (error instanceof Failure) return err(error)
    throw error
  }
}
