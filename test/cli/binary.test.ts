import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { buildBinary, NODES, start } from './binary.ts'
import { shell } from './binary-shell.ts'
import { startFakeApi } from './fake-api.ts'
import { chat, stream } from './fake-model-server.ts'
import { onEnd } from './run-fixture.ts'
import { FIXED, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'
import { until } from './until.ts'
import { isProbe, journalLines, putEpoch } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``
let file = ''
let remove = () => {}

beforeAll(() => {
  const built = buildBinary()
  file = built.file
  remove = built.remove
  // Bundling takes seconds, on a busy machine many.
}, 120_000)
afterAll(() => remove())

describe.each(Object.entries(NODES))('the installed client on %s Node', (_name, node) => {
  test('is the version it should be', () => {
    const major = Number(
      execFileSync(node, ['-p', 'process.versions.node.split(".")[0]']).toString(),
    )
    expect(major).toBeGreaterThanOrEqual(20)
  })

  test('CL-131 each ending has its exit code', async () => {
    let isDead = false
    const { type, origin, terminal } = await shell(node, file, () =>
      isDead ? { status: 401, body: '{}' } : chat(RIGHT),
    )
    const codes = async (...argv: string[]) => (await type(...argv).ended).code
    expect(await codes('--version')).toBe(0)
    expect(await codes('run', '--base-url', origin, '--limit', '1')).toBe(0)
    expect(await codes('run', '--base-url', origin, '--limit', 'many')).toBe(2)
    expect(await codes('no-such-verb')).toBe(2)
    expect(await codes('run', '--no-such-flag')).toBe(2)
    expect(await codes('run', '--base-url', origin, '--category', 'no-such-category')).toBe(2)
    expect(await codes('pull')).toBe(4)
    expect(await codes('submit')).toBe(6)
    const report = path.join(terminal.folder, 'report.jws')
    const keys = path.join(terminal.folder, 'jwks.json')
    writeFileSync(report, 'no.jws.here')
    writeFileSync(keys, '{"keys":[]}')
    expect(await codes('verify', report, '--jwks', keys)).toBe(1)
    isDead = true
    expect(await codes('run', '--base-url', origin, '--limit', '2')).toBe(3)
  })

  test('CL-131 a submission that the service cannot score ends with 5, a spent budget with 7', async () => {
    const epoch = await sampleEpoch({ categories: 1 })
    const api = await startFakeApi(epoch)
    onEnd(() => api.close())
    const { terminal, origin } = await shell(node, file, undefined, 1)
    const env = {
      FAILMAP_HOME: terminal.home,
      FAILMAP_WORKSPACE: terminal.workspace,
      FAILMAP_API_URL: api.origin,
    }
    const codes = async (...argv: string[]) =>
      (await start(node, file, argv, { env, cwd: terminal.folder }).ended).code
    for (const verb of ['keygen', 'register', 'pull']) expect(await codes(verb)).toBe(0)
    expect(await codes('run', '--base-url', origin)).toBe(0)
    api.faults.incomplete = true
    expect(await codes('submit', '--wait')).toBe(5)
    api.faults.before = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(429, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ type: '/problems/budget-spent', title: 'Spent', status: 429 }))
      return true
    }
    expect(await codes('submit', '--part', 'practice')).toBe(7)
  })

  test('CL-128 with --json stdout is one document, stderr is silent, and there is no colour', async () => {
    const { terminal, origin } = await shell(node, file)
    const env = {
      FAILMAP_HOME: terminal.home,
      FAILMAP_WORKSPACE: terminal.workspace,
      FORCE_COLOR: '1',
    }
    for (const argv of [['run', '--base-url', origin], ['runs'], ['keygen'], ['gen-api-key']]) {
      const ended = await start(node, file, [...argv, '--json'], { env, cwd: terminal.folder })
        .ended
      expect(ended).toMatchObject({ code: 0, err: '' })
      expect(ended.out).toMatch(/^\{.*\}\n$/)
      expect(() => JSON.parse(ended.out)).not.toThrow()
      expect(ended.out).not.toContain('\u001b')
    }
  })

  test('CL-130 a reader that goes away is no error', async () => {
    const { type, terminal, origin } = await shell(node, file)
    await type('run', '--base-url', origin, '--limit', '1').ended
    const line = `"${node}" "${file}" runs | head -c 1; echo " \${PIPESTATUS[0]}"`
    const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', line], {
      env: {
        PATH: process.env.PATH,
        FAILMAP_HOME: terminal.home,
        FAILMAP_WORKSPACE: terminal.workspace,
      },
      cwd: terminal.folder,
    })
    expect(stdout).toBe('r 0\n')
    expect(stderr).toBe('')
  })

  test('a full disk behind stdout is told and ends with 5', async () => {
    const { stdout } = await promisify(execFile)('bash', [
      '--norc',
      '-c',
      `"${node}" "${file}" --help 2>&1 >/dev/full; echo "code $?"`,
    ])
    expect(stdout).toMatch(/^failmap: cannot write to stdout\n {2}why: .*\ncode 5\n$/)
  })

  test('CL-130 a run that loses its readers goes on and keeps its journal', async () => {
    const { type, terminal, origin } = await shell(node, file, () => ({
      ...chat(RIGHT),
      delayMs: 20,
    }))
    const started = type('run', '--base-url', origin, '-j', '1')
    started.child.stdout?.destroy()
    started.child.stderr?.destroy()
    const code = await new Promise((resolve) => started.child.on('exit', resolve))
    expect(code).toBe(0)
    expect(journalLines(terminal.workspace).filter((entry) => 'instance_id' in entry)).toHaveLength(
      16,
    )
  })

  test('CL-132 Ctrl-C ends with 130 and the command to go on; nothing is lost', async () => {
    const { type, terminal, origin } = await shell(
      node,
      file,
      () => ({ ...chat(RIGHT), delayMs: 30 }),
      20,
    )
    const started = type('run', '--base-url', origin, '-j', '2')
    await until(() => answers(terminal).length > 5)
    started.child.kill('SIGINT')
    const ended = await started.ended
    expect(ended.code).toBe(130)
    expect(ended.out).toContain('failmap run --base-url')
    const before = answers(terminal)
    expect((await type('run', '--base-url', origin, '-j', '2').ended).code).toBe(0)
    expect(answers(terminal).slice(0, before.length)).toEqual(before)
    expect(new Set(answers(terminal)).size).toBe(80)
    expect(answers(terminal)).toHaveLength(80)
  })

  test('CL-132 a second Ctrl-C ends at once, and the journal is valid', async () => {
    const { type, terminal, origin } = await shell(node, file, (seen) =>
      isProbe(seen.body)
        ? stream('ready')
        : {
            type: 'text/event-stream',
            chunks: ['data: {"choices":[{"delta":{"content":"a"}}]}\n\n'],
            hang: true,
          },
    )
    const started = type('run', '--base-url', origin)
    await until(() => started.output().err.includes('16 tasks'))
    started.child.kill('SIGINT')
    started.child.kill('SIGINT')
    const ended = await started.ended
    expect(ended.code).toBe(130)
    expect(() => journalLines(terminal.workspace)).not.toThrow()
  })

  test('a second process on the same run is refused while the first lives, not after kill -9', async () => {
    const { type, terminal, origin } = await shell(
      node,
      file,
      () => ({ ...chat(RIGHT), delayMs: 50 }),
      20,
    )
    const first = type('run', '--base-url', origin, '-j', '1')
    await until(() => answers(terminal).length > 1)
    const second = await type('run', '--base-url', origin, '-j', '1').ended
    expect(second.code).toBe(2)
    expect(second.err).toContain(`process ${first.child.pid}`)
    first.child.kill('SIGKILL')
    await first.ended
    const third = await type('run', '--base-url', origin, '-j', '8').ended
    expect(third.code).toBe(0)
    expect(new Set(answers(terminal)).size).toBe(80)
  })

  test('CL-126 no name of a user, server or data set becomes a file name', async () => {
    const { type, terminal, origin } = await shell(node, file)
    expect(
      (await type('run', '--base-url', origin, '--model', 'acme/coder:7b-q4_K_M').ended).code,
    ).toBe(0)
    const names = readdirSync(terminal.workspace, { recursive: true }).map(String)
    for (const name of names) expect(name).toMatch(/^[a-z0-9./-]+$/)
    expect(names.join(' ')).not.toMatch(/acme|coder|open-2026/)
    expect(listRuns(terminal.workspace)[0]?.header.settings.model).toBe('acme/coder:7b-q4_K_M')
  })

  test('CL-174 without home, key and configuration a run needs the workspace only', async () => {
    const { terminal, origin } = await shell(node, file)
    const work = path.join(terminal.folder, 'only-here')
    mkdirSync(work)
    await putEpoch(work, await sampleEpoch({ categories: 1 }))
    const env = { HOME: '/nonexistent', FAILMAP_WORKSPACE: work }
    const ended = await start(node, file, ['run', '--base-url', origin], {
      env,
      cwd: terminal.folder,
    }).ended
    expect(ended.code).toBe(0)
    expect(existsSync('/nonexistent')).toBe(false)
  })

  test('both spellings of flags and the old verbs work', async () => {
    const { type, origin } = await shell(node, file)
    const ended = await type(
      'generate',
      '--base_url',
      origin,
      '--per_category=1',
      '--max_tokens',
      '64',
      '--json',
    ).ended
    expect(JSON.parse(ended.out)).toMatchObject({ tasks: 4, answered: 4 })
    expect((await type('list-runs').ended).out).toContain('acme/coder')
    expect((await type('gen-api-key', 'me@example.org').ended).out).toContain('failmap keygen')
  })

  test('every verb explains itself with examples', async () => {
    const { type } = await shell(node, file)
    const help = (await type('--help').ended).out
    expect(help).toContain('130 interrupted')
    for (const verb of [
      'doctor',
      'keygen',
      'register',
      'pull',
      'run',
      'check',
      'submit',
      'status',
      'watch',
      'report',
      'verify',
      'runs',
      'cancel',
    ]) {
      expect(help).toMatch(new RegExp(`^  ${verb}`, 'm'))
      expect((await type(verb, '--help').ended).out).toContain('Examples:')
    }
  })
})

describe('the installed client on an old Node', () => {
  test('CL-062 says what it needs on one line, without a stack, and ends with 2', async () => {
    const terminal = new Terminal()
    onEnd(() => terminal.remove())
    const preload = path.join(terminal.folder, 'old.cjs')
    writeFileSync(preload, "Object.defineProperty(process.versions, 'node', { value: '16.20.2' })")
    const ended = await start(NODES.system, file, ['--version'], {
      env: { NODE_OPTIONS: `--require ${preload}` },
    }).ended
    expect(ended).toMatchObject({
      code: 2,
      out: '',
      err: 'failmap: this is Node.js 16.20.2, failmap needs Node.js 20 or later\n',
    })
  })

  test('CL-062 nothing of what old versions lack stands before that line', () => {
    const text = readFileSync(file, 'utf8')
    const named = [...text.matchAll(/^import \{([^}]*)\} from "node:fs"/gm)].flatMap(
      ([, names = '']) => names.split(', '),
    )
    expect(named).not.toContain('statfsSync')
    expect(text).not.toMatch(/\?\?=|\|\|=|&&=/)
  })
})

function answers(terminal: Terminal): unknown[] {
  return journalLines(terminal.workspace).flatMap((entry) => entry.instance_id ?? [])
}
