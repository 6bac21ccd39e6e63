import type { Candidate } from './reply-blocks.ts'
import { definesName, isPython } from './reply-python.ts'

const MAX_DEPTH = 4

/** Modules inside a JSON answer such as `{"module": "def …"}`: every string that is one. */
export function findJsonModules(text: string, entryPoint: string): Candidate[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  return stringsIn(value, 0)
    .filter((string) => isPython(string) && definesName(string, entryPoint))
    .map((string) => ({ text: string, from: 0, to: 0, tag: 'json' }))
}

function stringsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return []
  return Object.values(value).flatMap((inner) => stringsIn(inner, depth + 1))
}
