import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { desk } from './desk.ts'
import { FIXED } from './sample-epoch.ts'

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
})
