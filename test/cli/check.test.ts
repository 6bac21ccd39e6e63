import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { promptOf } from './baselines-prompts.ts'
import { startFakeApi } from './fake-api.ts'
import { onEnd } from './run-fixture.ts'
import { FAULTY, FIXED, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'
import { journalLines, putEpoch } from './workspace.ts'

const WRONG = 'def width(a, b):\n    return a\n'

/** A run with one answer of each sort, in an epoch whose visible check is width(2, 5) = 3. */
async function checkedRun() {
  const { visible } = promptOf('width', FAULTY, [[[2, 5], 3]])
  const epoch = await sampleEpoch({ categories: 1, practice: 1, sealed: 4, visible })
  const terminal = new Terminal()
  onEnd(() => terminal.remove())
  await putEpoch(terminal.workspace, epoch)
  const modules = [FIXED, FAULTY, WRONG, 'def width(a, b):\n    return (\n', '']
  const lines = epoch.prompts.map(({ instance_id }, at) =>
    JSON.stringify({ instance_id, reply: modules[at] ? `\`\`\`python\n${modules[at]}\`\`\`` : '' }),
  )
  const file = path.join(terminal.folder, 'replies.jsonl')
  writeFileSync(file, `${lines.join('\n')}\n`)
  expect((await terminal.type('run', '--replies', file, '--model', 'mixed')).exit).toBe(0)
  return { terminal, epoch }
}

describe('failmap check', () => {
  test('runs the visible checks in the jail of this machine and counts what came out', async () => {
    const { terminal } = await checkedRun()
    const ending = await terminal.type('check', '--json')
    expect(ending).toMatchObject({ exit: 0, err: '' })
    // The faulty module passes here as well: its fault shows in the hidden checks only.
    expect(JSON.parse(ending.out)).toMatchObject({
      answered: 5,
      passed: 2,
      failed: 1,
      isolation: expect.anything(),
    })
  })

  test('CL-060 a module that does not load on this Python is told apart from a wrong one', async () => {
    const { terminal } = await checkedRun()
    const counts = JSON.parse((await terminal.type('check', '--json')).out)
    expect(counts.invalid + counts.answered - counts.checked).toBe(2)
  })

  test('the same text is not run twice', async () => {
    const { terminal } = await checkedRun()
    const first = JSON.parse((await terminal.type('check', '--json')).out)
    terminal.env = { FAILMAP_PYTHON: '/nowhere/python3' }
    const again = await terminal.type('check', '--json')
    expect(again.exit).toBe(0)
    expect(JSON.parse(again.out)).toMatchObject({ passed: first.passed, failed: first.failed })
  })

  test('failures are listed with what was expected and what came', async () => {
    const { terminal } = await checkedRun()
    const { out } = await terminal.type('check', '--failures')
    expect(out).toContain('width(2, 5) == 3')
    expect(out).toMatch(/got: .*2/)
  })

  test('after a report the distance to the hidden checks is shown', async () => {
    const { terminal, epoch } = await checkedRun()
    const api = await startFakeApi(epoch)
    onEnd(() => api.close())
    terminal.env = { FAILMAP_API_URL: api.origin }
    for (const command of [['keygen'], ['register'], ['submit', '--wait']]) {
      expect((await terminal.type(...command)).exit).toBe(0)
    }
    const { out } = await terminal.type('check')
    expect(out).toContain('sealed tasks: 25.0 % pass here, 0.0 % are fixed by the hidden checks')
  })

  test('without a fit Python it says which variable names another one', async () => {
    const { terminal } = await checkedRun()
    terminal.env = { FAILMAP_PYTHON: '/nowhere/python3' }
    const ending = await terminal.type('check')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('FAILMAP_PYTHON')
  })
})

describe('failmap run --model baseline/…', () => {
  const epochWith = async (examples: [number[], number][]) => {
    const { visible } = promptOf(
      'width',
      FAULTY,
      examples.map(([args, value]) => [args, value] as const),
    )
    const terminal = new Terminal()
    onEnd(() => terminal.remove())
    await putEpoch(terminal.workspace, await sampleEpoch({ categories: 1, visible }))
    return terminal
  }

  test('unchanged gives every module back as it was', async () => {
    const terminal = await epochWith([[[5, 2], 3]])
    const ending = await terminal.type('run', '--model', 'baseline/unchanged', '--json')
    expect(JSON.parse(ending.out)).toMatchObject({ answered: 4, lost: 0, counts: { unchanged: 4 } })
  })

  test('template finds a repair that passes the visible checks, the same one each time', async () => {
    const answers = []
    for (const _round of [1, 2]) {
      const terminal = await epochWith([[[5, 2], 3]])
      const ending = await terminal.type('run', '--model', 'baseline/template', '--json')
      expect(JSON.parse(ending.out)).toMatchObject({ answered: 4, counts: { ok: 4 } })
      expect(JSON.parse((await terminal.type('check', '--json')).out)).toMatchObject({ passed: 4 })
      answers.push(journalLines(terminal.workspace).map(({ module }) => module))
    }
    expect(answers[0]).toEqual(answers[1])
  })

  test('an unknown baseline is refused with the list', async () => {
    const terminal = await epochWith([[[5, 2], 3]])
    const ending = await terminal.type('run', '--model', 'baseline/magic')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('baseline/template')
  })
})
