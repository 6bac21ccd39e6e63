import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Checker, CheckerFault, openChecker } from '../../src/cli/checker.ts'

const FAKE = join(import.meta.dirname, 'baselines-fake-sandbox.mjs')

describe('openChecker', () => {
  let folder = ''
  let checker: Checker | undefined
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'checker-'))
  })
  afterEach(async () => {
    await checker?.close()
    checker = undefined
    rmSync(folder, { recursive: true })
  })

  const log = () => readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')
  const count = (word: string) => log().filter((line) => line === word).length
  const open = async (mode = 'works', { lanes = 1, inFlight = 4, silenceMs = 20_000 } = {}) => {
    const command = [process.execPath, FAKE, mode, join(folder, 'log')]
    checker = await openChecker({
      command,
      cwd: folder,
      env: process.env,
      lanes,
      inFlight,
      silenceMs,
    })
    return checker
  }
  const check = (on: Checker, module: string) =>
    on
      .check({ module, entryPoint: 'f', visible: [] })
      .then((outcome) => outcome.failures[0]?.outcome)

  test('hands out many checks and matches each answer to its question', async () => {
    const on = await open('works', { lanes: 2 })
    const modules = Array.from({ length: 200 }, (_, index) => `m${index}`)
    expect(await Promise.all(modules.map((module) => check(on, module)))).toEqual(modules)
    expect(count('start')).toBe(2)
    expect(on.isolation).toEqual({ profile: 'S' })
  })

  test('takes modules larger than a pipe holds', async () => {
    const on = await open()
    const modules = Array.from({ length: 8 }, (_, index) => `${index}${'x'.repeat(300_000)}`)
    expect(await Promise.all(modules.map((module) => check(on, module)))).toEqual(modules)
  })

  test('starts again when the process dies, and asks what was open once more', async () => {
    const on = await open()
    const modules = ['a', 'die once', 'b', 'c']
    expect(await Promise.all(modules.map((module) => check(on, module)))).toEqual(modules)
    expect(count('start')).toBe(2)
    expect(count('die once')).toBe(2)
  })

  test('gives up a check that takes the process down twice, and no other', async () => {
    const on = await open()
    const results = await Promise.allSettled(
      ['a', 'die', 'b', 'c'].map((module) => check(on, module)),
    )
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    expect(results[1]).toMatchObject({ reason: { name: 'CheckerFault' } })
    expect(count('die')).toBe(2)
    expect(await check(on, 'later')).toBe('later')
  })

  test('kills a process that falls silent', async () => {
    const on = await open('works', { silenceMs: 4_000 })
    expect(await Promise.all(['hang once', 'b'].map((module) => check(on, module)))).toEqual([
      'hang once',
      'b',
    ])
    expect(count('start')).toBe(2)
  })

  test.each(['babble', 'refuse', 'shape'])(
    'blames the sandbox, not the module, for "%s"',
    async (module) => {
      const on = await open()
      await expect(check(on, module)).rejects.toBeInstanceOf(CheckerFault)
      expect(await check(on, 'later')).toBe('later')
    },
  )

  test('fails to open with the last words of the sandbox', async () => {
    const opening = open('broken')
    await expect(opening).rejects.toMatchObject({
      exit: 2,
      why: 'sandbox: no isolation on this machine.',
    })
  })

  test('fails to open when the interpreter is missing', async () => {
    const opening = openChecker({ command: ['/none/python3'], cwd: folder, env: {}, lanes: 1 })
    await expect(opening).rejects.toMatchObject({ exit: 2, why: expect.stringContaining('ENOENT') })
  })

  test('fails to open when the sandbox never says that it is ready', async () => {
    await expect(open('mute', { silenceMs: 800 })).rejects.toMatchObject({ exit: 2 })
  })

  test('rejects all checks once the sandbox starts no more', async () => {
    const on = await open('once')
    const results = await Promise.allSettled(['a', 'die', 'b'].map((module) => check(on, module)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    await expect(check(on, 'later')).rejects.toBeInstanceOf(CheckerFault)
    expect(count('start')).toBe(4)
  })

  test('does not start again before there is a check', async () => {
    const on = await open('idle death')
    await expect.poll(() => count('end')).toBe(1)
    expect(count('start')).toBe(1)
    expect(await check(on, 'a')).toBe('a')
  })

  test('rejects what is open when it is closed', async () => {
    const on = await open('works', { silenceMs: 60_000 })
    const open1 = check(on, 'hang')
    const waiting = expect(open1).rejects.toBeInstanceOf(CheckerFault)
    await on.close()
    await waiting
  })
})
