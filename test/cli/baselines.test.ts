import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { baselineNames, needsChecker, repair } from '../../src/cli/baselines/baselines.ts'
import { type Checker, openChecker } from '../../src/cli/checker.ts'
import { isPython } from '../../src/cli/model/reply-python.ts'
import { fakeChecker } from './baselines-fake-checker.ts'
import { CALM, CIPHER, LATE, promptOf, RETRIES, SPAN } from './baselines-prompts.ts'

const ROOT = join(import.meta.dirname, '../..')
const COMMAND = [process.env.FAILMAP_PYTHON ?? 'python3', '-m', 'sandbox', 'check']

/** The modules here are arithmetic: where a machine has no jail, they run without one. */
function openReal(): Promise<Checker> {
  const open = (isolation: string) =>
    openChecker({
      command: [...COMMAND, '--isolation', isolation],
      cwd: ROOT,
      env: process.env,
      lanes: 2,
    })
  return open('auto').catch(() => open('unsafe'))
}

describe('repair, with the visible checks run by the sandbox', () => {
  let checker: Checker
  beforeAll(async () => {
    checker = await openReal()
  }, 120_000)
  afterAll(() => checker.close())

  test.each(baselineNames)(
    '%s leaves a module alone whose visible checks all pass',
    async (name) => {
      const { module } = await repair(name, CALM, checker)
      expect(module).toBe(CALM.module)
    },
  )

  test('unchanged gives the module back', async () => {
    expect((await repair('unchanged', LATE, checker)).module).toBe(LATE.module)
  })

  test('template mends the bound of a comparison, and nothing else', async () => {
    const { module, notes } = await repair('template', LATE, checker)
    expect(module).toBe(LATE.module.replace('age > limit', 'age >= limit'))
    expect(notes).toContain('template=comparison')
  })

  test('template tells None from zero', async () => {
    const { module, notes } = await repair('template', RETRIES, checker)
    expect(module).toContain('(wanted if wanted is not None else DEFAULT)')
    expect(notes).toContain('template=none-or-falsy')
  })

  test('template carries a partial repair on to a second edit', async () => {
    const { module } = await repair('template', SPAN, checker)
    expect(module).toBe(SPAN.module.replace('n + 1', 'n - 1').replace('n - 2', 'n + 2'))
  })

  test('genetic finds a module that passes all visible checks, and keeps only what it needs', async () => {
    const { module, notes } = await repair('genetic', LATE, checker)
    const { status } = await checker.check({
      module,
      entryPoint: LATE.entry_point,
      visible: LATE.visible,
    })
    expect(status).toBe('passed')
    expect(notes).toContain('changes=1')
  })

  test.each(['template', 'genetic'] as const)('%s gives the same module twice', async (name) => {
    const [first, second] = await Promise.all([
      repair(name, SPAN, checker),
      repair(name, SPAN, checker),
    ])
    expect(second).toEqual(first)
  })

  test.each(['template', 'genetic'] as const)(
    '%s says that it found nothing, and gives the module back',
    async (name) => {
      const { module, notes } = await repair(name, CIPHER, checker, { maxChecks: 40 })
      expect(module).toBe(CIPHER.module)
      expect(notes).toContain('no_plausible_patch')
    },
  )
})

describe('repair', () => {
  test.each(['template', 'genetic'] as const)('%s stays within its budget', async (name) => {
    const { checker, ran } = fakeChecker(() => 1, 3)
    await repair(name, SPAN, checker, { maxChecks: 30 })
    expect(ran.length).toBeLessThanOrEqual(30)
    expect(new Set(ran).size).toBe(ran.length)
  })

  test.each(['template', 'genetic'] as const)('%s runs only modules that parse', async (name) => {
    const { checker, ran } = fakeChecker(() => 1, 3)
    await repair(name, SPAN, checker, { maxChecks: 60 })
    expect(ran.filter((module) => !isPython(module))).toEqual([])
  })

  test('template takes the first candidate in order, not the first that answers', async () => {
    const { checker } = fakeChecker((module) => (module === LATE.module ? 1 : 3), 3)
    const { module } = await repair('template', LATE, checker)
    expect(module).toBe(LATE.module.replace('age > limit', 'age >= limit'))
  })

  test('genetic draws by the instance id', async () => {
    const run = async (number: number) => {
      const { checker, ran } = fakeChecker(() => 1, 3)
      const prompt = { ...SPAN, instance_id: `failmap__ttl-off-by-one-unit-${number}` }
      await repair('genetic', prompt, checker, { maxChecks: 40 })
      return ran
    }
    const [first, same, other] = await Promise.all([run(1), run(1), run(2)])
    expect(same).toEqual(first)
    expect(other).not.toEqual(first)
  })

  test('a candidate that the sandbox cannot run is passed over', async () => {
    const wanted = LATE.module.replace('age > limit', 'age < limit')
    const { checker } = fakeChecker((module) => {
      if (module.includes('>=')) return 'fault'
      return module === wanted ? 3 : 1
    }, 3)
    expect((await repair('template', LATE, checker)).module).toBe(wanted)
  })

  test.each(['template', 'genetic'] as const)(
    '%s ends with a fault, not with a result, when the sandbox is broken',
    async (name) => {
      const { checker } = fakeChecker((module) => (module === SPAN.module ? 1 : 'fault'), 3)
      await expect(repair(name, SPAN, checker)).rejects.toThrow('no sandbox')
      const { checker: dead } = fakeChecker(() => 'fault', 3)
      await expect(repair(name, SPAN, dead)).rejects.toThrow('no sandbox')
    },
  )

  test('a module with constructs that the grammar lacks is searched all the same', async () => {
    const source = `${LATE.module}\n\ndef pause(steps=2.):\n    yield\n`
    const prompt = promptOf('late', source, [])
    const { checker } = fakeChecker((module) => (module.includes('>=') ? 3 : 1), 3)
    const { module } = await repair('template', prompt, checker)
    expect(module).toBe(source.replace('age > limit', 'age >= limit'))
  })

  test('only unchanged needs no checker', () => {
    expect(baselineNames.filter((name) => !needsChecker(name))).toEqual(['unchanged'])
  })
})
