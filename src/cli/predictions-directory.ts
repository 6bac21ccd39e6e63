import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Prediction } from './predictions-shapes.ts'
import { decodeText } from './text-file.ts'

/**
 * A folder of answers, `<task id with / as _>/<n>.py` as EvalPlus lays them out; `<task id>.py`
 * is read too. Files that are not Python are left alone.
 */
export function readPredictionDirectory(directory: string): Prediction[] {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  return entries.flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith('.py'))
      return [readFile(directory, entry.name, entry.name.slice(0, -3))]
    if (!entry.isDirectory()) return []
    return readdirSync(join(directory, entry.name))
      .filter((name) => name.endsWith('.py'))
      .sort()
      .map((name) => readFile(directory, join(entry.name, name), entry.name))
  })
}

function readFile(directory: string, path: string, id: string): Prediction {
  const text = decodeText(readFileSync(join(directory, path)), path)
  return { id, model: null, text, where: path }
}
