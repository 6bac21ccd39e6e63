// The whole map through the real Worker: one upload of 24,576 patch lines, then reads per second.
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { commitmentOf, readRootKey } from '../../src/protocol/epoch-keys.ts'
import { sampleEpoch } from '../cli/sample-epoch.ts'
import { failmap } from './failmap.ts'
import { peakMemory, startedBy } from './memory.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'failmap-bench-'))
process.env.FAILMAP_STATE = folder
// These read FAILMAP_STATE when they are loaded.
const { publishEpoch } = await import('../../src/dev/local-epoch.ts')
const { startApi } = await import('../../src/dev/local-service.ts')
const { stopServices } = await import('../../src/dev/process.ts')
const { epochKey, localSecrets } = await import('../../src/dev/secrets.ts')

const PORTS = { api: 8797, sandbox: 8798 }
const EPOCH = 'bench-whole-map'
/** About 1 KiB a module: 25 MB over 24,576 lines. */
const MODULE = `def width(a, b):\n    return abs(b - a)\n${`# ${'x'.repeat(76)}\n`.repeat(11)}`
const SECONDS = 6
const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20)
const QUIET: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
}
const loadSchema = z.object({ non2xx: z.number(), requests: z.object({ average: z.number() }) })

async function wholeMap(): Promise<void> {
  const secrets = localSecrets()
  const key = readRootKey(epochKey(secrets, EPOCH))
  if (key === undefined) throw new Error('the root key does not read')
  const { view, prompts, text } = await sampleEpoch({
    id: EPOCH,
    categories: 256,
    practice: 16,
    sealed: 80,
  })
  const { card } = view
  const drawing = {
    drawing: 1,
    epoch: EPOCH,
    practice: 16,
    sealed: 80,
    corpus: card.corpus,
    prompt_version: 1,
    prompts: card.prompts,
    commitment: await commitmentOf(EPOCH, key),
    categories: card.categories.map((category) => ({
      ...category,
      counters: Array.from({ length: 96 }, () => 0),
    })),
  }
  const file = path.join(folder, 'prompts.jsonl')
  writeFileSync(file, text)
  const { url, service } = await startApi(PORTS, secrets)
  await publishEpoch(url, secrets, { id: EPOCH, folder, drawing })

  const replies = path.join(folder, 'replies.jsonl')
  const lines = prompts.map(({ instance_id }) =>
    JSON.stringify({ instance_id, reply: `\`\`\`python\n${MODULE}\`\`\`\n` }),
  )
  writeFileSync(replies, `${lines.join('\n')}\n`)
  const env = { FAILMAP_HOME: path.join(folder, 'home'), FAILMAP_API_URL: url }
  await failmap(folder, env, ['keygen'])
  await failmap(folder, env, ['register', '--name', 'Bench'])
  await failmap(folder, env, ['pull', '--epoch', EPOCH])
  await failmap(folder, env, ['run', '--replies', replies, '--model', 'bench', '--json'])
  const worker = startedBy(service.child.pid ?? 0, 'workerd')
  const before = peakMemory(worker)
  const submitted = await failmap(folder, env, ['submit', '--no-wait', '--json'])
  const upload = {
    lines: lines.length,
    megabytes: Math.round(lines.join('\n').length / 1e6),
    client_seconds: Number(submitted.seconds.toFixed(1)),
    client_peak_mib: mebibytes(submitted.peakBytes),
    worker_growth_mib: mebibytes(peakMemory(worker) - before),
    worker_peak_mib: mebibytes(peakMemory(worker)),
  }

  const reads: Record<string, number> = {}
  for (const at of ['/failmap.css', '/v1/epochs', `/v1/epochs/${EPOCH}`, '/openapi.json']) {
    const args = ['--json', '--connections', '16', '--duration', String(SECONDS), `${url}${at}`]
    const found = loadSchema.parse(JSON.parse(execFileSync('autocannon', args, QUIET)))
    if (found.non2xx > 0) throw new Error(`${at}: ${found.non2xx} refusals`)
    reads[at] = Math.round(found.requests.average)
  }
  const asset = reads['/failmap.css'] ?? Number.NaN
  const ratio = Number(((reads['/v1/epochs'] ?? 0) / asset).toFixed(2))
  const outcome = { upload, reads_per_second: reads, epochs_over_asset: ratio }
  process.stdout.write(`${JSON.stringify(outcome, null, 2)}\n`)
}

try {
  await wholeMap()
} catch (error) {
  process.stderr.write(readFileSync(path.join(folder, 'logs', 'api.log'), 'utf8').slice(-2000))
  throw error
} finally {
  await stopServices()
  rmSync(folder, { recursive: true, force: true })
}
