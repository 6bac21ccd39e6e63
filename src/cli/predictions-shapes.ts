import { z } from 'zod'

/** One answer of a predictions file, whatever its shape. */
export type Prediction = {
  id: string
  /** null: the record names no model, or the shape has no place for one. */
  model: string | null
  /** Diff or module text; null or blank: no answer. */
  text: string | null
  /** Where it stands: `line 12`, `item 3`, a path. */
  where: string
}

/** Shapes of one record. The file around them may be lines, a list or a dict keyed by id. */
const RECORDS = {
  'swe-bench': { id: 'instance_id', texts: ['model_patch'], model: 'model_name_or_path' },
  'swe-bench-pro': { id: 'instance_id', texts: ['patch'], model: 'prefix' },
  evalplus: { id: 'task_id', texts: ['solution', 'completion'], model: null },
  livecodebench: { id: 'question_id', texts: ['code_list'], model: null },
  failmap: { id: 'instance_id', texts: ['module', 'module_text'], model: null },
  'failmap-task': { id: 'task_id', texts: ['module', 'module_text'], model: null },
} as const

export type RecordShape = keyof typeof RECORDS
const SHAPES = Object.entries(RECORDS)

/** Values of `--format`; `directory` is a folder of files. */
export const PREDICTION_FORMATS: readonly string[] = [...Object.keys(RECORDS), 'directory']

const recordSchema = z.record(z.string(), z.unknown())
const textSchema = z.union([z.string(), z.null(), z.array(z.string())])

/**
 * Reads one record in the given shape, or in the first whose keys it has. A text says what is
 * wrong with it. Unknown keys are no fault: harnesses keep their own notes there.
 */
export function readRecord(
  value: unknown,
  where: string,
  format: string | undefined,
): Prediction | string {
  const record = recordSchema.safeParse(value)
  if (!record.success) return `${where}: not a JSON object`
  const keys = record.data
  const match = SHAPES.find(
    ([name, shape]) =>
      (format === undefined || name === format) &&
      shape.id in keys &&
      shape.texts.some((text) => text in keys),
  )
  if (!match) return `${where}: ${describeKeys(keys, format)}`
  const [, shape] = match
  const id = keys[shape.id]
  if (typeof id !== 'string') return `${where}: ${shape.id} is not a text`
  const field = shape.texts.find((text) => text in keys) ?? ''
  const text = textSchema.safeParse(keys[field])
  if (!text.success) return `${where}: ${field} is not a text`
  if (Array.isArray(text.data) && text.data.length > 1)
    return `${where}: ${text.data.length} samples in ${field}, one is wanted`
  const model = shape.model === null ? undefined : keys[shape.model]
  return {
    id,
    model: typeof model === 'string' && model !== '' ? model : null,
    text: Array.isArray(text.data) ? (text.data[0] ?? null) : text.data,
    where,
  }
}

/** A dict keyed by id (mini-swe-agent's preds.json) leaves the id out of the record, or repeats it. */
export function withKeyAsId(key: string, value: unknown): unknown {
  const record = recordSchema.safeParse(value)
  if (!record.success) return value
  return { instance_id: key, ...record.data }
}

function describeKeys(keys: Record<string, unknown>, format: string | undefined): string {
  const found = Object.keys(keys).slice(0, 8).join(', ') || 'none'
  return format === undefined
    ? `no known record (keys: ${found})`
    : `not a record of --format ${format} (keys: ${found})`
}
