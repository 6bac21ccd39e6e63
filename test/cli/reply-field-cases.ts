import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TABLE = readFileSync(join(import.meta.dirname, 'reply-field-cases.tsv'), 'utf8')

/** The module that a row starts from unless it brings its own. */
export const WIDTH = 'def width(a, b):\n    return b - a\n'
export const WIDTH_FIXED = 'def width(a, b):\n    return abs(b - a)\n'

/**
 * The sections of one recorded trouble. A line that is only `[name]` starts a section; the newline
 * before such a line belongs to the mark, and the last section runs to the end.
 */
export function fieldCase(id: string): Record<string, string> {
  const row = TABLE.split('\n').find((line) => line.startsWith(`${id}\t`))
  if (row === undefined) throw new Error(`no row ${id}`)
  const text = String(JSON.parse(`"${row.slice(id.length + 1)}"`))
  const marks = [...text.matchAll(/(?:^|\n)\[([a-z-]+)\]\n/g)]
  const sections = marks.map((mark, index) => [
    mark[1],
    text.slice(mark.index + mark[0].length, marks[index + 1]?.index),
  ])
  return Object.fromEntries(sections)
}

/** One section of a row; a row without it is a fault of the test. */
export function section(id: string, name: string): string {
  const text = fieldCase(id)[name]
  if (text === undefined) throw new Error(`row ${id} has no section ${name}`)
  return text
}
