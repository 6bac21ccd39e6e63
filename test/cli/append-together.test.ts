import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppendLog } from '../../src/cli/workspace/append-log.ts'
import { chat } from './fake-model-server.ts'
import { onEnd, type RunFixture, runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'
import { anyText } from './text.ts'
import { isProbe } from './workspace.ts'

const CONNECTIONS = 4

function openLog(): AppendLog {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'failmap-log-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return new AppendLog(path.join(folder, 'log.jsonl'))
}

const linesOf = (log: AppendLog) => readFileSync(log.file, 'utf8').trimEnd().split('\n')

describe('AppendLog.appendTogether', () => {
  test('when it resolves the line is in the file, and is found where it says', async () => {
    const log = openLog()
    const records = Array.from({ length: 40 }, (_, at) => ({ at, text: 'é🙂'.repeat(at * 50) }))
    const positions = await Promise.all(records.map((record) => log.appendTogether(record)))
    expect(linesOf(log).map((line) => JSON.parse(line))).toEqual(records)
    expect(positions.map((position) => log.read(position))).toEqual(records)
    await log.close()
  })

  test('any text is one line for every reader, and comes back as it was', async () => {
    const log = openLog()
    await fc.assert(
      fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 4 }), async (texts) => {
        const positions = await Promise.all(texts.map((text) => log.appendTogether({ text })))
        expect(positions.map((position) => log.read(position))).toEqual(
          texts.map((text) => ({ text })),
        )
      }),
    )
    await log.close()
    expect(readFileSync(log.file, 'utf8').replaceAll('\n', '')).not.toMatch(
      /[\u007f-\u009f\u2028\u2029]/,
    )
    for (const line of linesOf(log)) expect(JSON.parse(line)).toHaveProperty('text')
  })

  test('beside single appends each line stays whole and is found', async () => {
    const log = openLog()
    const waiting = [log.appendTogether({ at: 0 }), log.appendTogether({ at: 1 })]
    const single = log.append({ at: 2 })
    const positions = [...(await Promise.all(waiting)), single]
    expect(positions.map((position) => log.read(position))).toEqual([0, 1, 2].map((at) => ({ at })))
    expect(linesOf(log)).toHaveLength(3)
    await log.close()
  })

  test('what waits is written before the log is closed', async () => {
    const log = openLog()
    const waiting = log.appendTogether({ at: 0 })
    await log.close()
    expect(linesOf(log)).toEqual(['{"at":0}'])
    await waiting
  })

  test('on a full disk every one that waits is told', async () => {
    const log = new AppendLog('/dev/full')
    const ends = await Promise.allSettled([log.appendTogether({}), log.appendTogether({})])
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await log.close()
  })
})

describe('failmap run: a slot that asks again', () => {
  test('has its last reply in the journal, as the kernel shows it to others', async () => {
    let asked = 0
    const early: number[] = []
    const fixture: RunFixture = await runFixture(
      ({ body }) => {
        if (isProbe(body)) return chat('ready')
        asked += 1
        const kept = fixture.journal().filter((line) => 'reply' in line).length
        if (kept < asked - CONNECTIONS) early.push(asked)
        return { ...chat(`\`\`\`python\n${FIXED}\`\`\``), delayMs: asked % 3 }
      },
      { categories: 20 },
    )
    expect((await fixture.run('-j', String(CONNECTIONS))).exit).toBe(0)
    expect(asked).toBe(80)
    expect(early).toEqual([])
  })
})
