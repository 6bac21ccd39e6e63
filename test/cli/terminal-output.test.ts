import { describe, expect, test } from 'vitest'
import { kebabFlags } from '../../src/cli/arguments.ts'
import { parseDotenv } from '../../src/cli/dotenv.ts'
import { machineFailure } from '../../src/cli/failure.ts'
import { LostAnswers } from '../../src/cli/run/lost-answers.ts'
import { type Selection, selectTasks } from '../../src/cli/run/selection.ts'
import { isolationText } from '../../src/cli/terminal/check.ts'
import { duration } from '../../src/cli/terminal/duration.ts'
import { createPaint } from '../../src/cli/terminal/paint.ts'
import { Progress } from '../../src/cli/terminal/progress.ts'
import { reportLines } from '../../src/cli/terminal/report.ts'
import type { TaskEntry } from '../../src/cli/workspace/prompts.ts'
import { sampleReport } from './sample-report.ts'

const ANSI = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')
const terminal = { isTerminal: true, columns: 80, write: () => {} }
const pipe = { ...terminal, isTerminal: false }

describe('reportLines', () => {
  const report = sampleReport()

  test.each([
    ['colour', terminal],
    ['plain text', pipe],
  ])('the map in %s fits 80 columns', (_name, sink) => {
    const lines = reportLines(report, createPaint(sink, {}))
    for (const line of lines) expect(line.replace(ANSI, '').length).toBeLessThanOrEqual(80)
    expect(lines.filter((line) => /^[a-z-]+ {2,}/.test(line.replace(ANSI, '')))).toHaveLength(
      16 + 4,
    )
  })

  test('shows domains, overall with its interval, the gap, and what is not built', () => {
    const text = reportLines(report, createPaint(pipe, {})).join('\n')
    expect(text).toMatch(/^overall +50\.\d % \[\d+\.\d %, \d+\.\d %\]/m)
    expect(text).toMatch(/^gap /m)
    expect(text).toContain('200 of 256 categories are built')
    expect(text).toMatch(/^missing-config( {2}·)*/m)
  })

  test.each([
    ['a pipe', pipe, {}],
    ['NO_COLOR', terminal, { NO_COLOR: '1' }],
    ['a dumb terminal', terminal, { TERM: 'dumb' }],
    ['FORCE_COLOR into a pipe', pipe, { FORCE_COLOR: '1' }],
  ])('CL-128 for %s there is no colour', (_name, sink, env) => {
    const text = reportLines(report, createPaint(sink, env)).join('\n')
    expect(text).not.toMatch(ANSI)
  })

  test('every cell of a row stands under the one above', () => {
    const rows = reportLines(report, createPaint(pipe, {})).slice(3, 19)
    for (const row of rows)
      expect(row.slice(22, 70)).toMatch(/^(( [ \d]\d| \+\+| {2}·| · | – )){16}$/)
  })
})

describe('Progress', () => {
  const lines = (isTerminal: boolean, columns = 80) => {
    let now = 0
    let text = ''
    const sink = {
      isTerminal,
      columns,
      write: (more: string) => {
        text += more
      },
    }
    const progress = new Progress({ sink, now: () => now, total: 200, done: 100, noun: 'answers' })
    return {
      progress,
      wait: (ms: number) => {
        now += ms
      },
      text: () => text,
    }
  }

  test('the rate and the ETA count new answers only', () => {
    const { progress, wait } = lines(true)
    for (let count = 0; count < 10; count += 1) {
      wait(1000)
      progress.advance(0.1)
    }
    expect(progress.line(10_000)).toBe(
      '[###########.........] 110/200 answers  10 % lost  1.0/s  ETA 2 min',
    )
  })

  test('on a terminal it is one line that is drawn over, within the columns', () => {
    const { progress, wait, text } = lines(true, 40)
    for (let count = 0; count < 3; count += 1) {
      wait(1000)
      progress.advance(0)
    }
    progress.finish()
    const drawn = text().split('\r\u001b[2K')
    for (const line of drawn) expect(line.trimEnd().length).toBeLessThan(40)
    expect(text().match(/\n/g)).toHaveLength(1)
  })

  test('elsewhere it is a plain line now and then', () => {
    const { progress, wait, text } = lines(false)
    for (let count = 0; count < 40; count += 1) {
      wait(1000)
      progress.advance(0)
    }
    progress.finish()
    expect(text().trim().split('\n')).toHaveLength(3)
    expect(text()).not.toContain('\r')
    expect(text()).not.toContain('\u001b')
  })

  test('talk does not mix with the line', () => {
    const { progress, wait, text } = lines(true)
    wait(1000)
    progress.advance(0)
    progress.tell('the server asks to wait')
    expect(text()).toContain('\r\u001b[2Kthe server asks to wait\n')
  })
})

describe('LostAnswers', () => {
  test('warns once, from 20 answers and 5 % on, with the cause and the remedy', () => {
    const lost = new LostAnswers()
    for (let count = 0; count < 18; count += 1) lost.add('ok', null)
    lost.add('truncated', 'max_tokens')
    expect(lost.warning()).toBeNull()
    lost.add('truncated', 'max_tokens')
    expect(lost.warning()).toContain('raise --max-tokens')
    expect(lost.warning()).toBeNull()
    expect(lost.share).toBe(0.1)
  })
})

describe('selectTasks', () => {
  const tasks = ['page-boundary', 'ttl', 'clock'].flatMap((category, at) =>
    [1, 2, 3].map(
      (number): TaskEntry => ({
        instanceId: `failmap__${category}-${number}`,
        category,
        domain: at < 2 ? 'caching-expiry' : 'calendar-time',
        part: number === 1 ? 'practice' : 'sealed',
        offset: 0,
        length: 0,
        promptBytes: 0,
        promptJson: null,
      }),
    ),
  )
  const all: Selection = {
    perCategory: null,
    categories: [],
    domains: [],
    instances: [],
    part: undefined,
    limit: null,
  }
  const ids = (selection: Partial<Selection>) =>
    selectTasks(tasks, { ...all, ...selection }).map(({ instanceId }) => instanceId.slice(9))

  test('goes round over the categories, so that any beginning covers the map evenly', () => {
    expect(ids({ limit: 4 })).toEqual(['page-boundary-1', 'ttl-1', 'clock-1', 'page-boundary-2'])
  })

  test('takes so many of each category, of one category, of one domain, of one part', () => {
    expect(ids({ perCategory: 1 })).toEqual(['page-boundary-1', 'ttl-1', 'clock-1'])
    expect(ids({ categories: ['ttl'] })).toEqual(['ttl-1', 'ttl-2', 'ttl-3'])
    expect(ids({ domains: ['calendar-time'] })).toEqual(['clock-1', 'clock-2', 'clock-3'])
    expect(ids({ categories: ['ttl'], domains: ['calendar-time'], perCategory: 1 })).toEqual([
      'ttl-1',
      'clock-1',
    ])
    expect(ids({ part: 'practice' })).toEqual(['page-boundary-1', 'ttl-1', 'clock-1'])
    expect(ids({ instances: ['failmap__ttl-2'] })).toEqual(['ttl-2'])
  })

  test('a name that is not there is refused with the nearest one that is', () => {
    expect(() => ids({ categories: ['page-boundry'] })).toThrow(/no category "page-boundry"/)
    try {
      ids({ categories: ['page-boundry'] })
    } catch (error) {
      expect(error).toMatchObject({ exit: 2, why: 'did you mean page-boundary?' })
    }
  })
})

describe('small readers', () => {
  test.each([
    [30, '30 s'],
    [600, '10 min'],
    [5 * 3600 + 12 * 60, '5 h 12 min'],
    [3 * 86_400, '3 d 0 h'],
    [Number.POSITIVE_INFINITY, 'unknown'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text)
  })

  test('flags in both spellings are one; values and what follows -- stay', () => {
    expect(kebabFlags(['--run_id', 'a_b', '--x_y=c_d', '-i', 'e_f', '--', '--g_h'])).toEqual([
      '--run-id',
      'a_b',
      '--x-y=c_d',
      '-i',
      'e_f',
      '--',
      '--g_h',
    ])
  })

  test('.env files hold quotes, comments, exports and lines', () => {
    const text =
      'A=1 # one\nexport B="two words"\n# C=3\nD=\'#4\'\nE="a\\nb"\nF=\n G = 7\r\nH="x\ny"\n'
    expect(parseDotenv(text)).toEqual({
      A: '1',
      B: 'two words',
      D: '#4',
      E: 'a\\nb',
      F: '',
      G: '7',
      H: 'x\ny',
    })
  })
})

describe('a machine that refuses', () => {
  test.each([
    ['ENOSPC', 5, 'the disk is full'],
    ['EDQUOT', 5, 'your share of the disk'],
    ['EROFS', 2, 'read-only'],
    ['EACCES', 2, '--workspace'],
    ['EIO', 5, 'the disk does not work'],
    ['EMFILE', 2, 'ulimit -n'],
  ])('%s is told in words, without a stack', (code, exit, words) => {
    const thrown = Object.assign(new Error(`${code}: write`), { code })
    const failure = machineFailure(thrown)
    expect(failure?.exit).toBe(exit)
    expect(failure?.render()).toContain(words)
    expect(failure?.render()).not.toMatch(/\n\s+at /)
  })

  test('a bug of ours is not put on the machine', () => {
    expect(machineFailure(new TypeError('x is not a function'))).toBeNull()
    expect(machineFailure(Object.assign(new Error('?'), { code: 'ERR_ASSERTION' }))).toBeNull()
  })
})

describe('isolationText', () => {
  test.each([
    [{ profile: 'S', self_tests: { run: 12, held: 12 } }, 'profile S, 12 of 12 hostile'],
    [{ profile: 'L' }, 'profile L'],
    [{ profile: 'unsafe', self_tests: { run: 0, held: 0 } }, 'none (--isolation unsafe)'],
    [{ other: 1 }, '{"other":1}'],
  ])('%j in words', (jail, words) => {
    expect(isolationText(jail)).toContain(words)
  })
})
