import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { epochFolder } from '../../src/cli/workspace/folders.ts'
import { Prompts } from '../../src/cli/workspace/prompts.ts'
import { desk } from './desk.ts'
import { chat } from './fake-model-server.ts'
import { onEnd, type RunFixture, runFixture } from './run-fixture.ts'
import { FIXED, type SampleEpoch, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'
import { isProbe } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

const fileOf = (terminal: Terminal, epoch: SampleEpoch): string =>
  path.join(epochFolder(terminal.workspace, epoch.view.card.id), 'prompts.jsonl')

/** What editors, full disks and sync tools make of a file, and how the refusal names it. */
const DAMAGE: [what: string, why: string, (text: string) => string | Buffer][] = [
  ['emptied', 'it is empty', () => ''],
  ['without the last line feed', 'line 4 has no end', (text) => text.slice(0, -1)],
  ['torn in the last line', 'line 4 has no end', (text) => text.slice(0, -30)],
  ['cut between two lines', 'altered or cut off', (text) => text.slice(0, text.indexOf('\n') + 1)],
  ['with one line twice', 'line 5 is a second one for failmap__', (text) => text + firstOf(text)],
  ['of another text', 'altered or cut off', (text) => text.replaceAll('Mend', 'Break')],
  ['with CRLF', 'altered or cut off', (text) => text.replaceAll('\n', '\r\n')],
  ['with a byte-order mark', 'line 1 begins with a byte-order mark', (text) => `\ufeff${text}`],
  ['in UTF-16', 'line 1 is UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['with an empty line', 'line 2 is empty', (text) => text.replace('\n', '\n\n')],
  ['with a line of no JSON', 'line 1 is not JSON', (text) => text.slice(1)],
  ['with NULs at the end', 'line 5 is not JSON', (text) => `${text}\0\0\0\n`],
  ['with a line of no task', 'line 5 is no task', (text) => `${text}null\n`],
]

const firstOf = (text: string): string => text.slice(0, text.indexOf('\n') + 1)

describe('a file of prompts that is not what was pulled', () => {
  test.each(DAMAGE)('%s: nothing is asked, and it says why', async (_what, why, damage) => {
    const fixture = await prepared(() => RIGHT)
    const { terminal, epoch, server } = fixture
    writeFileSync(fileOf(terminal, epoch), damage(epoch.text))
    const ending = await fixture.run()
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('prompts.jsonl is not what was pulled')
    expect(ending.err).toContain(why)
    expect(ending.err).toContain(`next: failmap pull --epoch ${epoch.view.card.id}`)
    expect(server.asked()).toEqual([])
  })

  test('check and submit refuse it, send nothing, and go on after a pull', async () => {
    const { terminal, epoch, api } = await desk()
    const file = fileOf(terminal, epoch)
    writeFileSync(file, epoch.text.replaceAll('Mend', 'Break'))
    for (const verb of ['check', 'submit']) {
      const ending = await terminal.type(verb)
      expect(ending.exit).toBe(2)
      expect(ending.err).toContain('is not what was pulled')
    }
    expect(api.submissions.size).toBe(0)
    expect((await terminal.type('pull')).exit).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(epoch.text)
    expect((await terminal.type('submit')).exit).toBe(0)
  })

  test('predictions are not imported against it', async () => {
    const { terminal, epoch } = await desk()
    writeFileSync(fileOf(terminal, epoch), epoch.text.slice(0, -1))
    const predictions = path.join(terminal.folder, 'predictions.jsonl')
    writeFileSync(predictions, '{}\n')
    const ending = await terminal.type('submit', '--predictions', predictions)
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('is not what was pulled')
  })
})

describe('Prompts of a file without a stated digest', () => {
  const formOnly = DAMAGE.filter(([, why]) => !why.startsWith('altered'))

  test.each(formOnly)('%s is refused by its form', async (_what, why, damage) => {
    const terminal = new Terminal()
    onEnd(() => terminal.remove())
    const file = path.join(terminal.folder, 'prompts.jsonl')
    writeFileSync(file, damage((await sampleEpoch({ categories: 1 })).text))
    expect(() => new Prompts(file)).toThrow(expect.objectContaining({ exit: 2 }))
    expect(() => new Prompts(file)).toThrow(
      expect.objectContaining({ why: expect.stringContaining(why) }),
    )
  })
})

describe('a file of prompts that changes during a run', () => {
  /** A run of four tasks, one at a time, whose second task finds the file as `change` left it. */
  async function changedBy(change: (file: string, text: string) => void) {
    let isChanged = false
    const fixture = await prepared(() => {
      if (!isChanged) change(fileOf(fixture.terminal, fixture.epoch), fixture.epoch.text)
      isChanged = true
      return RIGHT
    })
    return { fixture, ending: await fixture.run('-j', '1') }
  }

  test.each([
    ['with bytes in front', (text: string) => `\n\n\n\n\n${text}`],
    ['made shorter', (text: string) => text.slice(0, 900)],
    ['of the same size', (text: string) => text.replaceAll('Mend', 'Bend')],
  ])('%s ends it in words; what was answered is kept', async (_what, edit) => {
    const { fixture, ending } = await changedBy((file, text) => writeFileSync(file, edit(text)))
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain('was changed while it was in use')
    const asked = fixture.server.asked().filter(({ body }) => !isProbe(body))
    expect(asked).toHaveLength(1)
    expect(fixture.journal().filter((line) => 'reply' in line)).toHaveLength(1)
    writeFileSync(fileOf(fixture.terminal, fixture.epoch), fixture.epoch.text)
    expect((await fixture.run()).err).toContain('going on, 1 of 4 tasks are answered')
    expect(fixture.answers().map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
  })

  test('in its times alone lets it go on', async () => {
    const { ending } = await changedBy((file) => utimesSync(file, 1, 1))
    expect(ending).toMatchObject({ exit: 0 })
  })
})

async function prepared(reply: () => string): Promise<RunFixture> {
  return runFixture(({ body }) => chat(isProbe(body) ? 'ready' : reply()), { categories: 1 })
}
