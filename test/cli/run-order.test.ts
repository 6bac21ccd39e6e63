import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRunId, newRunId } from '../../src/cli/workspace/folders.ts'
import { listRuns, requireRun } from '../../src/cli/workspace/runs.ts'
import { chat } from './fake-model-server.ts'
import { runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'

const DAY_MS = 86_400_000

describe('newRunId', () => {
  test('sorts behind every existing run, whatever the clock says', () => {
    const moment = fc.nat({ max: Date.UTC(2099, 0) })
    fc.assert(
      fc.property(fc.array(fc.tuple(moment, fc.uint8Array({ minLength: 3 }))), (starts) => {
        const ids: string[] = []
        for (const [nowMs, random] of starts) ids.push(newRunId(nowMs, random, [...ids].reverse()))
        expect(ids.every(isRunId)).toBe(true)
        expect([...ids].sort()).toEqual(ids)
      }),
    )
  })

  test('tells the time where nothing stands against it', () => {
    const nowMs = Date.UTC(2026, 10, 30, 12, 34, 56)
    const before = ['run-20261130-123455-ffffff', 'not a run']
    expect(newRunId(nowMs, Uint8Array.of(1, 2, 3), before)).toBe('run-20261130-123456-010203')
  })

  const NO_RUNS = [
    'run-99999999-999999-ffffff',
    'run-20270230-120000-ffffff',
    'run-20270430-240000-ffffff',
    'run-20261130-246000-ffffff',
  ]
  test.each(NO_RUNS)('%s tells no instant: it is no run, and nothing has to be newer', (name) => {
    expect(isRunId(name)).toBe(false)
    const nowMs = Date.UTC(2026, 10, 30, 12, 34, 56)
    expect(newRunId(nowMs, Uint8Array.of(1, 2, 3), [name])).toBe('run-20261130-123456-010203')
  })

  test('is an id of a run whatever the clock says and whatever lies there', () => {
    const last = Date.UTC(9999, 11, 31, 23, 59, 59)
    const clocks = [-1, 0, last - 1000, last, last + 1, 8.64e15, 8.64e15 + 1]
    const before = ['run-99991231-235959-ffffff', 'run-99991231-235958-ffffff']
    for (const nowMs of clocks) {
      for (const existing of [[], before, before.slice(1)]) {
        expect(newRunId(nowMs, Uint8Array.of(1, 2, 3), existing)).toSatisfy(isRunId)
      }
    }
  })

  test('reads any number of names', () => {
    const names = Array.from({ length: 300_000 }, () => 'run-20261130-123455-ffffff')
    const id = newRunId(0, Uint8Array.of(1, 2, 3), names)
    expect(id).toBe('run-20261130-123456-010203')
  })
})

describe('failmap run on a clock that was set back', () => {
  test('the run begun last is the newest, and says when it began by the clock', async () => {
    const fixture = await runFixture(() => chat(`\`\`\`python\n${FIXED}\`\`\``))
    const begin = async (clockErrorMs: number, model: string) => {
      fixture.terminal.clockErrorMs = clockErrorMs
      await fixture.run('--no-resume', '--limit', '1', '--model', model)
      return requireRun(fixture.terminal.workspace, undefined)
    }
    const first = await begin(0, 'first')
    const second = await begin(-DAY_MS, 'second')
    const third = await begin(-DAY_MS, 'third')
    expect([first, second, third].map(({ header }) => header.settings.model)).toEqual([
      'first',
      'second',
      'third',
    ])
    expect(listRuns(fixture.terminal.workspace).map(({ id }) => id)).toEqual([
      first.id,
      second.id,
      third.id,
    ])
    expect(Date.parse(second.header.created_at)).toBeLessThan(Date.now() - DAY_MS / 2)
  })

  test('goes on with it when the same command is repeated', async () => {
    const fixture = await runFixture(() => chat(`\`\`\`python\n${FIXED}\`\`\``))
    await fixture.run('--no-resume', '--limit', '2')
    fixture.terminal.clockErrorMs = -DAY_MS
    await fixture.run('--no-resume', '--limit', '1')
    const newest = requireRun(fixture.terminal.workspace, undefined)
    const ending = await fixture.run('--limit', '2')
    expect(ending.err).toContain(`${newest.id}: going on, 1 of 2 tasks are answered`)
  })
})
