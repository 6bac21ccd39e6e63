import fs, { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { AppendLog } from '../../src/cli/workspace/append-log.ts'
import { JOURNAL_FILE } from '../../src/cli/workspace/journal.ts'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { desk } from './desk.ts'
import { chat } from './fake-model-server.ts'
import { onEnd, runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

/** Until the end of the test the disk refuses what the kernel took, as on a network disk that is full. */
function refuseSync(): void {
  const { fdatasync } = fs
  const refusing = (_descriptor: number, done: (error: Error | null) => void) =>
    setImmediate(() => done(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })))
  Object.assign(fs, { fdatasync: refusing })
  syncBuiltinESMExports()
  onEnd(() => {
    Object.assign(fs, { fdatasync })
    syncBuiltinESMExports()
  })
}

describe('AppendLog on a disk that refuses to sync', () => {
  test('the next append and the flush say so; nothing is thrown into the void', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'failmap-log-'))
    onEnd(() => rmSync(folder, { recursive: true, force: true }))
    const log = new AppendLog(path.join(folder, 'log.jsonl'))
    refuseSync()
    log.append({ at: 0 })
    await expect(log.flush()).rejects.toThrow('EIO')
    expect(() => log.append({ at: 1 })).toThrow('EIO')
    await expect(log.appendTogether({ at: 2 })).rejects.toThrow('EIO')
    await expect(log.close()).rejects.toThrow('EIO')
  })

  test('a run ends with 5 and says which file', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    refuseSync()
    const ending = await fixture.run('--limit', '3')
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain('cannot write to')
    expect(ending.err).toContain('EIO')
  })
})

describe('a journal that somebody edited', () => {
  test('a line without its reply is damaged, and its task runs again', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.run('--limit', '3')
    const file = path.join(listRuns(fixture.terminal.workspace)[0]?.folder ?? '', JOURNAL_FILE)
    const lines = readFileSync(file, 'utf8').split('\n')
    writeFileSync(
      file,
      lines.map((line, at) => (at > 2 ? line.replace('"reply"', '"rep1y"') : line)).join('\n'),
    )
    const ending = await fixture.run('--limit', '3')
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain('damaged; their tasks run again')
  })

  test('a line whose other fields are odd is named by file and place, without a stack', async () => {
    const { terminal, epoch } = await desk()
    const [run] = listRuns(terminal.workspace)
    const instance_id = epoch.prompts[0]?.instance_id
    const line = { instance_id, reply: 'x', status: 'ok', module: 5 }
    appendFileSync(path.join(run?.folder ?? '', JOURNAL_FILE), `${JSON.stringify(line)}\n`)
    const ending = await terminal.type('submit')
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain(`damaged line for ${instance_id}`)
    expect(ending.err).not.toContain('broke inside')
  })
})

describe('a run whose first line is damaged', () => {
  test('is not passed over without a word', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.run('--limit', '2')
    const [run] = listRuns(fixture.terminal.workspace)
    const file = path.join(run?.folder ?? '', JOURNAL_FILE)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0, 30, 50))
    const ending = await fixture.run('--limit', '2')
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain(`${run?.id}: the first line of its journal is damaged`)
  })
})

describe('failmap pull', () => {
  test('a download that breaks off is told in words, and the next one is whole', async () => {
    const { terminal, api } = await desk({ hasRun: false })
    api.faults.before = (request, response) => {
      if (!request.url?.endsWith('/prompts')) return false
      response.writeHead(200, { 'content-type': 'application/x-ndjson', 'content-length': '5000' })
      response.write('{"instance')
      setTimeout(() => response.destroy(), 10)
      return true
    }
    const ending = await terminal.type('pull')
    expect(ending.exit).toBe(4)
    expect(ending.err).toContain('the download of the prompts broke off')
    delete api.faults.before
    expect(await terminal.type('pull')).toMatchObject({ exit: 0 })
  })
})
