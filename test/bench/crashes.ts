// kill -9 of Worker, sandbox or client at random moments of a submission: after a restart each one
// must end with the very numbers of an undisturbed one. `node test/bench/crashes.ts [crashes]`
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import { reportSchema } from '../../src/protocol/report.ts'
import { failmap, startFailmap } from './failmap.ts'
import { crashTree } from './memory.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'failmap-crashes-'))
process.env.FAILMAP_STATE = folder
// These read FAILMAP_STATE when they are loaded.
const { drawEpoch, publishEpoch } = await import('../../src/dev/local-epoch.ts')
const { startApi, startSandbox } = await import('../../src/dev/local-service.ts')
const { stopServices } = await import('../../src/dev/process.ts')
const { localSecrets } = await import('../../src/dev/secrets.ts')
const { sandboxHealth } = await import('../../src/dev/terminal.ts')

const PORTS = { api: 8793, sandbox: 8794 }
const CRASHES = Number(process.argv[2] ?? 20)
const VICTIMS = ['worker', 'sandbox', 'client'] as const
const PATIENCE_MS = 240_000

/** What must not depend on crashes: everything but which submission it is and when it was signed. */
function numbersOf(text: string): string {
  const { id: _, submission, ...rest } = reportSchema.parse(JSON.parse(text))
  return canonicalJson({ ...rest, patches: submission.patches })
}

/** The submission of this run, waited for until it has a report; starts again whatever died. */
async function scored(env: Record<string, string>, run: string): Promise<string> {
  const deadline = Date.now() + PATIENCE_MS
  while (Date.now() < deadline) {
    const { code } = await startFailmap(folder, env, ['submit', run, '--wait', '--json']).ended
    if (code === 0) return (await failmap(folder, env, ['report', run, '--json'])).stdout
    await sleep(500)
  }
  throw new Error(`${run} has no report after ${PATIENCE_MS / 1000} s`)
}

async function newRun(env: Record<string, string>): Promise<string> {
  await failmap(folder, env, ['run', '--model', 'baseline/unchanged', '--no-resume', '--json'])
  const { stdout } = await failmap(folder, env, ['runs', '--json'])
  const runs = z.object({ runs: z.array(z.object({ run: z.string() }).loose()) }).loose()
  return runs.parse(JSON.parse(stdout)).runs.at(-1)?.run ?? ''
}

async function crashAll(): Promise<number> {
  const secrets = localSecrets()
  let sandbox = await startSandbox(PORTS, secrets)
  const { corpus } = sandboxHealth.parse(sandbox.health)
  const epoch = await drawEpoch(secrets, corpus, { practice: 2, sealed: 6 })
  let api = await startApi(PORTS, secrets)
  await publishEpoch(api.url, secrets, epoch)
  const env = { FAILMAP_HOME: path.join(folder, 'home'), FAILMAP_API_URL: api.url }
  await failmap(folder, env, ['keygen'])
  await failmap(folder, env, ['register', '--name', 'Crash test'])
  await failmap(folder, env, ['pull', '--epoch', epoch.id])

  const startedAt = performance.now()
  const expected = numbersOf(await scored(env, await newRun(env)))
  const undisturbedMs = performance.now() - startedAt
  let same = 0
  for (let round = 0; round < CRASHES; round += 1) {
    const victim = VICTIMS[round % VICTIMS.length] ?? 'worker'
    const run = await newRun(env)
    const client = startFailmap(folder, env, ['submit', run, '--wait', '--json'])
    const momentMs = Math.random() * undisturbedMs
    await sleep(momentMs)
    if (victim === 'client') client.crash()
    if (victim === 'sandbox') {
      // The judge alone: its zygotes must notice by themselves.
      sandbox.service.child.kill('SIGKILL')
      await sandbox.service.stop()
      sandbox = await startSandbox(PORTS, secrets)
    }
    if (victim === 'worker') {
      crashTree(api.service.child.pid ?? 0)
      await api.service.stop()
      api = await startApi(PORTS, secrets)
    }
    await client.ended
    const got = numbersOf(await scored(env, run))
    if (got === expected) same += 1
    process.stderr.write(
      `${round + 1}/${CRASHES} ${victim} at ${(momentMs / 1000).toFixed(1)} s: ` +
        `${got === expected ? 'identical' : 'DIFFERENT'}\n`,
    )
  }
  process.stdout.write(`${JSON.stringify({ crashes: CRASHES, identical: same })}\n`)
  return same === CRASHES ? 0 : 1
}

try {
  process.exitCode = await crashAll()
} finally {
  await stopServices()
  rmSync(folder, { recursive: true, force: true })
}
