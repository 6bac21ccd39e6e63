import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { desk } from './desk.ts'
import { FIXED } from './sample-epoch.ts'
import { journalLines } from './workspace.ts'

describe('failmap run --replies', () => {
  test('refuses a second reply for a task in place of choosing one', async () => {
    const { terminal, epoch } = await desk()
    const [first, second] = epoch.prompts.map(({ instance_id }) => instance_id)
    const file = path.join(terminal.folder, 'twice.jsonl')
    const lines = [first, second, first].map((instance_id) =>
      JSON.stringify({ instance_id, reply: FIXED }),
    )
    writeFileSync(file, lines.join('\n'))
    const ending = await terminal.type('run', '--replies', file, '--model', 'twice')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain(`line 3 is a second reply for ${first}`)
  })

  test('a line that is longer than any reply is refused in words, those before it are kept', async () => {
    const { terminal, epoch } = await desk()
    const [first, second] = epoch.prompts.map(({ instance_id }) => instance_id)
    const file = path.join(terminal.folder, 'long.jsonl')
    const long = { instance_id: second, reply: FIXED, log: 'y'.repeat(17 << 20) }
    const lines = [{ instance_id: first, reply: FIXED }, long]
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
    const ending = await terminal.type('run', '--replies', file, '--model', 'long')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('a line of more than 16777216 characters')
    expect(ending.err).not.toContain('broke inside')
    expect(journalLines(terminal.workspace).filter((line) => 'reply' in line)).toHaveLength(1)
  })
})
