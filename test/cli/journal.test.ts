import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { AppendLog, toLine } from '../../src/cli/workspace/append-log.ts'
import { JOURNAL_FILE, Journal, settingsDigest } from '../../src/cli/workspace/journal.ts'
import type { Answer, Header, Settings } from '../../src/cli/workspace/journal-lines.ts'
import { section } from './client-field-cases.ts'
import { chat } from './fake-model-server.ts'
import { onEnd, runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'

const SETTINGS: Settings = {
  source: 'model',
  model: 'vllm/coder-7b',
  model_digest: null,
  endpoint: 'chat',
  system: null,
  temperature: 0,
  top_p: null,
  seed: 0,
  max_tokens: 100,
  num_ctx: null,
  time_limit_seconds: 60,
  max_checks: null,
}

async function header(): Promise<Header> {
  return {
    journal: 1,
    run: 'run-20261130-000000-000000',
    created_at: '2026-11-30T00:00:00Z',
    epoch: { id: 'open-2026-11', prompts: 'a'.repeat(64) },
    settings: SETTINGS,
    settings_sha256: await settingsDigest(SETTINGS),
  }
}

function answer(number: number, more: Partial<Answer> = {}): Answer {
  return {
    instance_id: `failmap__page-boundary-${number}`,
    status: 'ok',
    cause: null,
    module: FIXED,
    reply: `naïve café 🙂 ${number}`,
    notes: [],
    finish_reason: 'stop',
    usage: { prompt_tokens: 7, completion_tokens: null },
    reasoning_characters: 0,
    max_tokens: 100,
    attempts: 1,
    latency_ms: 12,
    answered_at: '2026-11-30T00:00:00Z',
    ...more,
  }
}

/** In memory where that exists: every cut syncs, and a disk would take minutes for all of them. */
const FAST_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir()

function folder(): string {
  const made = mkdtempSync(path.join(FAST_FOLDER, 'failmap-journal-'))
  onEnd(() => rmSync(made, { recursive: true, force: true }))
  return made
}

describe('Journal.open', () => {
  test('CL-132 torn at every byte: whole answers stay, the rest is set aside, and writing goes on', async () => {
    const source = folder()
    const journal = Journal.create(source, await header())
    for (const number of [1, 2]) journal.record(answer(number))
    await journal.close()
    const bytes = readFileSync(path.join(source, JOURNAL_FILE))
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a)
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const torn = folder()
      writeFileSync(path.join(torn, JOURNAL_FILE), bytes.subarray(0, cut))
      const opened = Journal.open(torn)
      // A line counts from its last character on, with or without its line feed.
      const whole = ends.filter((end) => end <= cut).length
      if (whole === 0) {
        expect(opened).toBeNull()
        continue
      }
      expect(opened?.size).toBe(whole - 1)
      const isClean = cut === 0 || ends.some((end) => end === cut || end + 1 === cut)
      expect(opened?.notes.tornTail === null).toBe(isClean)
      opened?.record(answer(9))
      await opened?.close()
      const again = Journal.open(torn)
      expect(again?.size).toBe(whole)
      expect(again?.read('failmap__page-boundary-9')).toEqual(answer(9))
      for (let number = 1; number < whole; number += 1) {
        expect(again?.read(`failmap__page-boundary-${number}`)).toEqual(answer(number))
      }
      await again?.close()
      rmSync(torn, { recursive: true })
    }
  })

  test('CL-132 the torn bytes are kept in a side file', async () => {
    const torn = folder()
    const text = `${toLine(await header())}${toLine(answer(1))}{"instance_id":"failmap__page-boundary-2","sta`
    writeFileSync(path.join(torn, JOURNAL_FILE), text)
    const journal = Journal.open(torn)
    await journal?.close()
    expect(readdirSync(torn)).toContain('journal.jsonl.torn-1')
    expect(readFileSync(path.join(torn, 'journal.jsonl.torn-1'), 'utf8')).toBe(
      '{"instance_id":"failmap__page-boundary-2","sta',
    )
  })

  test('CL-134 characters that some readers take for line ends stay inside their record', async () => {
    const reply = JSON.parse(section('CL-134', 'journal')).reply
    const source = folder()
    const journal = Journal.create(source, await header())
    const odd = `${reply}\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029\r\n\ud800`
    journal.record(answer(1, { reply: odd }))
    await journal.close()
    const text = readFileSync(path.join(source, JOURNAL_FILE), 'utf8')
    const enders = '\n\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029'
    expect([...text].filter((character) => enders.includes(character))).toEqual(['\n', '\n'])
    const again = Journal.open(source)
    expect(again?.read('failmap__page-boundary-1')?.reply).toBe(odd)
    await again?.close()
  })

  test('CL-134 a record written with raw separators is read as one', async () => {
    const source = folder()
    const raw = `${JSON.stringify(answer(1, { reply: 'a\u2028b\u0085c' }))}\n`
    writeFileSync(path.join(source, JOURNAL_FILE), toLine(await header()) + raw)
    const journal = Journal.open(source)
    expect(journal?.read('failmap__page-boundary-1')?.reply).toBe('a\u2028b\u0085c')
    await journal?.close()
  })

  test('a damaged line in the middle costs its own task only', async () => {
    const source = folder()
    const middle = '\u0000'.repeat(40)
    writeFileSync(
      path.join(source, JOURNAL_FILE),
      `${toLine(await header())}${toLine(answer(1))}${middle}\n${toLine(answer(3))}`,
    )
    const journal = Journal.open(source)
    expect([...(journal?.instanceIds() ?? [])]).toEqual([
      'failmap__page-boundary-1',
      'failmap__page-boundary-3',
    ])
    expect(journal?.notes.damagedLines).toBe(1)
    await journal?.close()
  })

  test('an answer that the server failed to give is open again, and its second try wins', async () => {
    const source = folder()
    const journal = Journal.create(source, await header())
    journal.record(answer(1, { status: 'backend_error', module: null, reply: '' }))
    expect(journal.has('failmap__page-boundary-1')).toBe(false)
    journal.record(answer(1))
    await journal.close()
    const again = Journal.open(source)
    expect(again?.has('failmap__page-boundary-1')).toBe(true)
    expect(again?.read('failmap__page-boundary-1')?.status).toBe('ok')
    await again?.close()
  })
})

describe('AppendLog.append', () => {
  test('a full disk leaves the log as it was', async () => {
    const log = new AppendLog('/dev/full')
    expect(() => log.append({ a: 1 })).toThrow(/ENOSPC/)
  })

  test('thousands of appends share their syncs, and all are there', async () => {
    const file = path.join(folder(), 'log.jsonl')
    const log = new AppendLog(file)
    for (let number = 0; number < 5000; number += 1) log.append({ number })
    await log.close()
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    expect(lines).toHaveLength(5000)
  })
})

describe('failmap run: which run goes on', () => {
  const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

  test('the same settings go on, other settings begin anew', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.run('--limit', '2')
    expect((await fixture.run('--limit', '3')).err).toContain('2 of 3 tasks are answered')
    expect((await fixture.run('--limit', '3', '--temperature', '0.7')).err).toContain(': 3 tasks')
    expect((await fixture.run('--limit', '3', '--no-resume')).err).toContain(': 3 tasks')
  })

  test('a named run with other settings is refused with the difference', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    const first = JSON.parse((await fixture.run('--limit', '1', '--json')).out)
    const ending = await fixture.run('--run', first.run, '--seed', '7')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('seed: 0 there, 7 now')
  })

  test('the raw reply lies beside the patch', async () => {
    const fixture = await runFixture(() => chat(`Here it is:\n${RIGHT}\nDone.`))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([
      { status: 'ok', module: FIXED, reply: `Here it is:\n${RIGHT}\nDone.` },
    ])
  })

  test('a run that was copied elsewhere goes on there', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.run('--limit', '2')
    const other = path.join(fixture.terminal.folder, 'other')
    copyTree(fixture.terminal.workspace, other)
    const ending = await fixture.run('--limit', '3', '--workspace', other)
    expect(ending.err).toContain('2 of 3 tasks are answered')
  })
})

function copyTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) copyTree(source, target)
    else copyFileSync(source, target)
  }
}
