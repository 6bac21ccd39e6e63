import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { type FakeApi, startFakeApi } from './fake-api.ts'
import { onEnd } from './run-fixture.ts'
import { FAULTY, FIXED, type SampleEpoch, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'

type Desk = { terminal: Terminal; api: FakeApi; epoch: SampleEpoch }

/** A registered terminal with a pulled epoch and a run of recorded replies, every second one right. */
export async function desk({ categories = 4, hasRun = true } = {}): Promise<Desk> {
  const epoch = await sampleEpoch({ categories })
  const api = await startFakeApi(epoch)
  const terminal = new Terminal()
  onEnd(() => api.close())
  onEnd(() => terminal.remove())
  terminal.env = { FAILMAP_API_URL: api.origin }
  if (hasRun) {
    for (const command of ['keygen', 'register', 'pull']) {
      const ending = await terminal.type(command)
      expect(ending).toMatchObject({ exit: 0 })
    }
    const replies = path.join(terminal.folder, 'replies.jsonl')
    const lines = epoch.prompts.map(({ instance_id }, at) =>
      JSON.stringify({ instance_id, reply: `\`\`\`python\n${at % 2 ? FIXED : FAULTY}\`\`\`` }),
    )
    writeFileSync(replies, `${lines.join('\n')}\n`)
    expect(await terminal.type('run', '--replies', replies, '--model', 'my agent')).toMatchObject({
      exit: 0,
    })
  }
  return { terminal, api, epoch }
}

/** Ends the connection instead of an answer. */
export const cut = (_request: unknown, response: { destroy: () => void }) => {
  response.destroy()
  return true
}
