import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Step } from './fake-model-server.ts'

const TABLE = readFileSync(path.join(import.meta.dirname, 'client-field-cases.tsv'), 'utf8')

/** One section of a row of recorded trouble; a row without it is a fault of the test. */
export function section(id: string, name: string): string {
  const row = TABLE.split('\n').find((line) => line.startsWith(`${id}\t`))
  if (row === undefined) throw new Error(`no row ${id}`)
  const text = String(JSON.parse(`"${row.slice(id.length + 1)}"`))
  const marks = [...text.matchAll(/(?:^|\n)\[([a-z-]+)\]\n/g)]
  const at = marks.findIndex((mark) => mark[1] === name)
  const mark = marks[at]
  if (mark === undefined) throw new Error(`row ${id} has no section ${name}`)
  return text.slice(mark.index + mark[0].length, marks[at + 1]?.index)
}

const COUNTS: Record<string, number> = {
  'three times': 3,
  'each later one': Number.POSITIVE_INFINITY,
}

/** The answers of an `http` section in order; `(three times)` and the like repeat one. */
export function httpSteps(id: string): { path: string; times: number; step: Step }[] {
  let path = '/v1/chat/completions'
  let times = 1
  const steps: { path: string; times: number; step: Step }[] = []
  for (const line of section(id, 'http').split('\n')) {
    const asked = /^> \w+ (\S+)(.*)$/.exec(line)
    if (asked !== null) {
      path = asked[1] ?? path
      times = Object.entries(COUNTS).find(([words]) => asked[2]?.includes(words))?.[1] ?? 1
      continue
    }
    const answered = /^< (\d{3})(?: (text\/html|application\/json))? ?(.*)$/.exec(line)
    if (answered === null) continue
    const [, status = '', type = 'application/json', body = ''] = answered
    steps.push({ path, times, step: { status: Number(status), type, body } })
    times = 1
  }
  return steps
}
