import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Prediction } from './predictions-shapes.ts'
import { readBytes, readTextFile } from './text-file.ts'

/** A file of the folder, and the id that its name or its folder's name states. */
type Entry = { path: string; id: string }

/**
 * A folder of answers, `<task id with / as _>/<n>.py` as EvalPlus lays them out; `<task id>.py`
 * is read too. Files that are not Python are left alone.
 */
export function listPredictionDirectory(directory: string): Entry[] {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  return entries.flatMap((entry) => {
    if (entry.isFile() && entry.name.endsWith('.py'))
      return [{ path: entry.name, id: entry.name.slice(0, -3) }]
    if (!entry.isDirectory()) return []
    return readdirSync(join(directory, entry.name))
      .filter((name) => name.endsWith('.py'))
      .sort()
      .map((name) => ({ path: join(entry.name, name), id: entry.name }))
  })
}

export function* readEntries(directory: string, entries: readonly Entry[]): Generator<Prediction> {
  for (const { path, id } of entries) {
    yield { id, model: null, text: readTextFile(join(directory, path)), where: path }
  }
}

/** Digest over names and contents. */
export function digestEntries(directory: string, entries: readonly Entry[]): string {
  const hash = createHash('sha256')
  for (const { path } of entries) {
    const bytes = readBytes(join(directory, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}
