import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startFakeApi } from '../cli/fake-api.ts'
import { sampleEpoch } from '../cli/sample-epoch.ts'
import { failmap } from './failmap.ts'

/** About 1 KiB a module: 25 MB over 24,576 lines. */
const MODULE = `def width(a, b):\n    return abs(b - a)\n${`# ${'x'.repeat(76)}\n`.repeat(11)}`

/** Peak memory and seconds of each command of the built client that handles every task of the map. */
export async function clientMemory(): Promise<Record<string, { mib: number; seconds: number }>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'failmap-memory-'))
  const epoch = await sampleEpoch({ categories: 256, practice: 16, sealed: 80, pad: 2000 })
  const api = await startFakeApi(epoch)
  const ids = epoch.prompts.map(({ instance_id }) => instance_id)
  const write = (
    name: string,
    lines: readonly string[],
    [open, glue, close] = ['', '\n', '\n'],
  ) => {
    const file = path.join(folder, name)
    writeFileSync(file, `${open}${lines.join(glue)}${close}`)
    return file
  }
  const replies = write(
    'replies.jsonl',
    ids.map((instance_id) =>
      JSON.stringify({ instance_id, reply: `\`\`\`python\n${MODULE}\`\`\`\n` }),
    ),
  )
  const record = (instance_id: string) =>
    JSON.stringify({ instance_id, model_name_or_path: 'bench', model_patch: MODULE })
  const lines = write('preds.jsonl', ids.map(record))
  const dict = write(
    'preds.json',
    ids.map((id) => `${JSON.stringify(id)}: ${record(id)}`),
    ['{\n', ',\n', '\n}\n'],
  )
  const env = { FAILMAP_HOME: path.join(folder, 'home'), FAILMAP_API_URL: api.origin }
  const commands: [string, string[]][] = [
    ['pull', ['pull']],
    ['run --replies', ['run', '--replies', replies, '--model', 'bench']],
    ['run again', ['run', '--replies', replies, '--model', 'bench']],
    ['submit', ['submit', '--no-wait']],
    ['submit --predictions lines', ['submit', '--no-wait', '--predictions', lines]],
    ['submit --predictions dict', ['submit', '--no-wait', '--predictions', dict]],
  ]
  try {
    await failmap(folder, env, ['keygen'])
    await failmap(folder, env, ['register', '--name', 'Bench'])
    const outcome: Record<string, { mib: number; seconds: number }> = {}
    for (const [name, args] of commands) {
      const { peakBytes, seconds } = await failmap(folder, env, [...args, '--json'])
      outcome[name] = { mib: Math.round(peakBytes / 2 ** 20), seconds: Number(seconds.toFixed(1)) }
    }
    return outcome
  } finally {
    await api.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
