import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Reader } from '../../src/cli/run/reader.ts'
import { findEpoch } from '../../src/cli/workspace/epochs.ts'
import { JOURNAL_FILE, Journal } from '../../src/cli/workspace/journal.ts'
import { Prompts } from '../../src/cli/workspace/prompts.ts'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { startFakeApi } from './fake-api.ts'
import { chat } from './fake-model-server.ts'
import { onEnd, type RunFixture, runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'
import { until } from './until.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

/** A finished run as a kill before the first reading would have left it. */
async function unreadRun(): Promise<RunFixture> {
  const fixture = await runFixture(() => chat(RIGHT), { categories: 2 })
  expect((await fixture.run()).exit).toBe(0)
  const file = path.join(listRuns(fixture.terminal.workspace)[0]?.folder ?? '', JOURNAL_FILE)
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, lines.filter((line) => !line.startsWith('{"read":')).join('\n'))
  expect(fixture.answers().every(({ status }) => status === undefined)).toBe(true)
  return fixture
}

describe('a reply that was kept and not read', () => {
  test('is in the journal before its reading is', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.run('--limit', '1')
    const [reply, reading] = fixture.journal().filter(({ fact }) => fact === undefined)
    expect(reply).toMatchObject({ reply: RIGHT })
    expect(reply).not.toHaveProperty('status')
    expect(reading).toMatchObject({ read: reply?.instance_id, status: 'ok', module: FIXED })
  })

  test('is read when the run goes on, and is not asked again', async () => {
    const fixture = await unreadRun()
    const before = fixture.server.asked().length
    const ending = await fixture.run('--json')
    expect(JSON.parse(ending.out)).toMatchObject({ answered: 8, counts: { ok: 8 } })
    // The one question is whether the server is there.
    expect(fixture.server.asked().length - before).toBeLessThanOrEqual(1)
  })

  test('is read before it is submitted', async () => {
    const fixture = await unreadRun()
    const api = await startFakeApi(fixture.epoch)
    onEnd(() => api.close())
    fixture.terminal.env = { FAILMAP_API_URL: api.origin }
    for (const verb of ['keygen', 'register']) await fixture.terminal.type(verb)
    const ending = await fixture.terminal.type('submit', '--wait', '--json')
    expect(JSON.parse(ending.out)).toMatchObject({ answered: 8 })
  })

  test('a reading that is torn off is made again, the same one', async () => {
    const fixture = await runFixture(() => chat(RIGHT), { categories: 1 })
    await fixture.run()
    const { folder } = listRuns(fixture.terminal.workspace)[0] ?? { folder: '' }
    const file = path.join(folder, JOURNAL_FILE)
    const whole = fixture.answers()
    copyFileSync(file, `${file}.whole`)
    const bytes = readFileSync(`${file}.whole`)
    const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
    writeFileSync(file, bytes.subarray(0, lastLine + 30))
    expect((await fixture.run()).err).toContain('cut off by a crash')
    expect(fixture.answers()).toEqual(whole)
  })
})

describe('Reader, while answers come in', () => {
  /** A reader of eight kept replies, by a clock that stands still until it is set. */
  async function openReader() {
    const { terminal } = await unreadRun()
    const journal = Journal.open(listRuns(terminal.workspace)[0]?.folder ?? '')
    if (journal === null) throw new Error('the run has no journal')
    const prompts = new Prompts(findEpoch(terminal.workspace, undefined)?.promptsFile ?? '')
    const clock = { ms: 0 }
    let read = 0
    const reader = new Reader({
      journal,
      prompts,
      contextLength: null,
      now: () => clock.ms,
      onReading: () => {
        read += 1
      },
    })
    const [id = ''] = journal.instanceIds()
    onEnd(async () => {
      await reader.finish(new AbortController().signal)
      prompts.close()
      await journal.close()
    })
    return { reader, clock, id, readings: () => read }
  }
  const wait = () => new Promise((resolve) => setTimeout(resolve, 60))

  test('nothing is read between the answers of a fast server, also where one is late', async () => {
    const { reader, clock, id, readings } = await openReader()
    for (let at = 1; at <= 40; at += 1) {
      clock.ms = at
      reader.add(id)
    }
    clock.ms += 30
    await wait()
    expect(readings()).toBe(0)
  })

  test('replies are read between the answers of a slow one, and in a long silence', async () => {
    const { reader, clock, id, readings } = await openReader()
    clock.ms = 60
    await until(() => readings() === 8)
    clock.ms = 1000
    reader.add(id)
    clock.ms = 2000
    reader.add(id)
    clock.ms += 15
    await until(() => readings() === 10)
  })
})
