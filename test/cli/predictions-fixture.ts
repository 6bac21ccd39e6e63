import { Failure } from '../../src/cli/failure.ts'
import { type Predictions, readPredictions } from '../../src/cli/predictions.ts'
import { sourceOf } from '../../src/cli/predictions-bytes.ts'
import { err, ok } from '../../src/protocol/result.ts'
import { FIRST, PROMPTS, SECOND } from './predictions-prompts.ts'
import { WIDTH_FIXED } from './reply-field-cases.ts'

export const DIFF = `--- a/width.py
+++ b/width.py
@@ -1,2 +1,2 @@
 def width(a, b):
-    return b - a
+    return abs(b - a)
`
export const LONG = 'def width(a, b):\n    return max(a, b) - min(a, b)\n'

export const bytesOf = (text: string) => new TextEncoder().encode(text)
export const context = (format?: string) => ({
  format,
  isTask: (id: string) => PROMPTS.has(id),
  promptOf: (id: string) => PROMPTS.get(id),
})

/** Everything that a predictions file gives, at once. */
export function collected({ model, unknown, answers }: Predictions) {
  const patches = new Map<string, string>()
  const unanswered = new Map<string, string>()
  const notes: string[] = []
  for (const predicted of answers()) {
    if (predicted.module === null) unanswered.set(predicted.instanceId, predicted.reason)
    else patches.set(predicted.instanceId, predicted.module)
    notes.push(...predicted.notes.map((note) => `${predicted.instanceId}: ${note}`))
  }
  return { model, unknown, patches, unanswered, notes }
}

export function read(content: string | Uint8Array, fileName = 'p.jsonl', format?: string) {
  const bytes = typeof content === 'string' ? bytesOf(content) : content
  try {
    const result = readPredictions(sourceOf(bytes, fileName), context(format))
    return result.ok ? ok(collected(result.value)) : result
  } catch (error) {
    if (error instanceof Failure) return err(error)
    throw error
  }
}

export function patchesOf(content: string | Uint8Array, fileName?: string, format?: string) {
  const result = read(content, fileName, format)
  if (!result.ok) throw result.error
  return result.value
}

export function refusalOf(content: string | Uint8Array, fileName?: string, format?: string) {
  const result = read(content, fileName, format)
  if (result.ok) throw new Error('was read')
  return result.error
}

export const SWE = [
  { instance_id: FIRST, model_name_or_path: 'm', model_patch: DIFF, extra: 1 },
  { instance_id: SECOND, model_name_or_path: 'm', model_patch: DIFF },
]
export const lines = (records: readonly unknown[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')
export const BOTH = new Map([
  [FIRST, WIDTH_FIXED],
  [SECOND, WIDTH_FIXED],
])
