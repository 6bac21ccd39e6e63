import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Prompts } from '../../src/cli/workspace/prompts.ts'
import { onEnd } from './run-fixture.ts'
import { anyText } from './text.ts'

function promptsOf(lines: readonly string[]): Prompts {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'failmap-prompts-'))
  const file = path.join(folder, 'prompts.jsonl')
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  const prompts = new Prompts(file)
  onEnd(() => {
    prompts.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return prompts
}

type Members = [name: string, value: unknown][]

const membersOf = (id: string, prompt: string, other: string): Members => [
  ['category', 'c'],
  ['contract', [other, prompt]],
  ['domain', 'd'],
  ['entry_point', 'f'],
  ['instance_id', id],
  ['module', other],
  ['part', 'sealed'],
  ['prompt', prompt],
  ['prompt_version', 1],
  ['visible', [{ prompt: other }]],
]

const toJson = (members: Members, encode: (value: unknown) => string): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${encode(value)}`).join(' ,')}}`

/** As valid as the usual form: every character escaped by its number. */
const escapeAll = (value: unknown): string =>
  typeof value === 'string'
    ? `"${value.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
    : JSON.stringify(value)

const line = fc
  .tuple(anyText, anyText, fc.constantFrom(JSON.stringify, escapeAll), fc.infiniteStream(fc.nat()))
  .map(([prompt, other, encode, ranks]) => {
    const json = (number: number) => {
      const shuffled = membersOf(`failmap__c-${number}`, prompt, other)
        .map((member) => ({ member, rank: ranks.next().value ?? 0 }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ member }) => member)
      return toJson(shuffled, (value) => encode(value))
    }
    return { prompt, json }
  })

describe('Prompts.promptJson', () => {
  test('is what encoding the prompt gives, in any valid line', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const prompts = promptsOf(lines.map(({ json }, at) => json(at + 1)))
        for (const [at, task] of prompts.tasks.entries()) {
          const json = `"${prompts.promptJson(task).toString()}"`
          expect(json).toBe(JSON.stringify(lines[at]?.prompt))
        }
      }),
      { numRuns: 200 },
    )
  })

  test('is found in files of many buffers, asked for in any order', () => {
    const texts = Array.from({ length: 300 }, (_, at) => `${at} é🙂 "${'x'.repeat(17 * at)}"\n`)
    const lines = texts.map((text, at) =>
      toJson(membersOf(`failmap__c-${at + 1}`, text, ''), JSON.stringify),
    )
    const prompts = promptsOf(lines)
    const order = prompts.tasks.map((_, at) => (at * 7) % prompts.tasks.length)
    for (const at of [...order, ...order.keys()]) {
      const task = prompts.tasks[at]
      if (task === undefined) throw new Error(`no task ${at}`)
      expect(JSON.parse(`"${prompts.promptJson(task).toString()}"`)).toBe(texts[at])
    }
  })

  test('where the file escapes oddly the text is encoded anew', () => {
    const members = membersOf('failmap__c-1', 'a/é', '')
    const odd = members.filter(([name]) => name !== 'contract')
    const prompts = promptsOf([toJson(odd, escapeAll)])
    expect(prompts.tasks[0]?.promptJson).toBeNull()
    expect(prompts.tasks.map((task) => prompts.promptJson(task).toString())).toEqual(['a/é'])
  })
})
