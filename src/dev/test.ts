// The whole suite: vitest (Node, workerd, browser, end to end), then unittest (sandbox, tasks).
// Closes with `N passed, N failed`. Arguments go to vitest: `npm test -- --project cli`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { python, root } from './root.ts'
import { buildClient, run } from './steps.ts'

type Counts = { passed: number; failed: number }

const vitestReport = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numPendingTests: z.number(),
  numTodoTests: z.number(),
  numFailedTestSuites: z.number(),
  success: z.boolean(),
})

/** A test that was skipped proves nothing, so it counts as failed. */
async function vitest(args: string[]): Promise<Counts> {
  const folder = mkdtempSync(path.join(tmpdir(), 'failmap-test-'))
  const file = path.join(folder, 'vitest.json')
  const code = await run({
    name: 'vitest',
    command: 'vitest',
    args: ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...args],
  })
  try {
    const report = vitestReport.parse(JSON.parse(readFileSync(file, 'utf8')))
    const failed = report.numFailedTests + report.numPendingTests + report.numTodoTests
    const broken = code !== 0 || !report.success || report.numFailedTestSuites > 0
    return { passed: report.numPassedTests, failed: broken ? Math.max(failed, 1) : failed }
  } catch {
    return { passed: 0, failed: 1 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs one unittest folder and counts from its closing lines. */
function unittest(folder: string): Promise<Counts> {
  return new Promise((resolve) => {
    const child = spawn(python, ['-m', 'unittest', 'discover', '-s', folder, '-t', '.', '-b'], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    let tail = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      process.stderr.write(text)
      tail = (tail + text).slice(-4000)
    })
    child.on('exit', (code) => {
      const ran = Number(/Ran (\d+) tests?/.exec(tail)?.[1] ?? 0)
      const closing = tail.slice(tail.lastIndexOf('Ran '))
      const bad = [...closing.matchAll(/(?:failures|errors|skipped|unexpected successes)=(\d+)/g)]
      const failed = bad.reduce((sum, match) => sum + Number(match[1]), 0)
      const broken = code !== 0 || ran === 0
      resolve({ passed: Math.max(ran - failed, 0), failed: broken ? Math.max(failed, 1) : failed })
    })
  })
}

const started = Date.now()
const chosen = process.argv.slice(2)
if ((await buildClient()) !== 0) process.exit(1)
const parts: [string, Counts][] = [['vitest', await vitest(chosen)]]
if (chosen.length === 0) {
  for (const folder of ['test/sandbox', 'test/tasks']) {
    process.stdout.write(`\n== unittest ${folder}\n`)
    parts.push([folder, await unittest(folder)])
  }
}
const total = { passed: 0, failed: 0 }
process.stdout.write('\n')
for (const [name, counts] of parts) {
  total.passed += counts.passed
  total.failed += counts.failed
  process.stdout.write(`${name}: ${counts.passed} passed, ${counts.failed} failed\n`)
}
process.stdout.write(`in ${Math.round((Date.now() - started) / 1000)} s\n`)
process.stdout.write(`${total.passed} passed, ${total.failed} failed\n`)
process.exit(total.failed > 0 ? 1 : 0)
