// What the client adds to a fast server, and what it costs to resume and submit the largest run.
// `node test/bench/client.ts [throughput|resume|memory …]`; without names: all three.
import { loadavg } from 'node:os'
import path from 'node:path'
import { findEpoch } from '../../src/cli/workspace/epochs.ts'
import { Journal, settingsDigest } from '../../src/cli/workspace/journal.ts'
import { Prompts } from '../../src/cli/workspace/prompts.ts'
import { sampleEpoch } from '../cli/sample-epoch.ts'
import { Terminal } from '../cli/terminal.ts'
import { putEpoch } from '../cli/workspace.ts'
import { clientMemory } from './client-memory.ts'
import { throughput } from './client-throughput.ts'
import { median } from './median.ts'

const ROUNDS = 5
const WHOLE_MAP = 24_576

/** A module of 40 lines, as models write them. */
const MODULE = [
  '"""Distances on a line."""',
  '',
  '',
  'def width(a, b):',
  '    return abs(b - a)',
  '',
  '',
  ...Array.from({ length: 11 }, (_, at) =>
    [
      `def step_${at}_@@(values, limit=${at}):`,
      `    total = sum(value for value in values if value > limit)`,
      `    return total or None`,
    ].join('\n'),
  ),
  '',
].join('\n')
const REPLY = `The difference must not depend on the order.\n\n\`\`\`python\n${MODULE}\`\`\`\n`

/** Opening a journal of the whole map, and its memory. */
async function resume() {
  const terminal = new Terminal()
  try {
    const epoch = await sampleEpoch({ categories: 256, practice: 16, sealed: 80, pad: 2000 })
    await putEpoch(terminal.workspace, epoch)
    const folder = path.join(terminal.folder, 'run')
    const settings = {
      source: 'model',
      model: 'coder-7b',
      model_digest: null,
      endpoint: 'chat',
      system: null,
      temperature: 0,
      top_p: null,
      seed: 0,
      max_tokens: 4096,
      num_ctx: null,
      time_limit_seconds: 60,
      max_checks: null,
    } as const
    const journal = Journal.create(folder, {
      journal: 1,
      run: 'run-20261130-000000-000000',
      created_at: '2026-11-30T00:00:00Z',
      epoch: { id: epoch.view.card.id, prompts: epoch.view.card.prompts.sha256 },
      settings,
      settings_sha256: await settingsDigest(settings),
    })
    for (const { instance_id } of epoch.prompts) {
      journal.record({
        instance_id,
        status: 'ok',
        cause: null,
        module: MODULE,
        reply: REPLY,
        notes: [],
        finish_reason: 'stop',
        usage: { prompt_tokens: 900, completion_tokens: 400 },
        reasoning_characters: 0,
        max_tokens: 4096,
        attempts: 1,
        latency_ms: 5,
        answered_at: '2026-11-30T00:00:00Z',
      })
    }
    await journal.close()
    const opened: number[] = []
    const busy: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now()
      const before = process.cpuUsage()
      const again = Journal.open(folder)
      opened.push(performance.now() - startedAt)
      busy.push(process.cpuUsage(before).user / 1000)
      if (again?.size !== WHOLE_MAP) throw new Error(`${again?.size} answers`)
      await again.close()
    }
    const startedAt = performance.now()
    const prompts = new Prompts(findEpoch(terminal.workspace, undefined)?.promptsFile ?? '')
    const indexMs = performance.now() - startedAt
    prompts.close()
    return {
      journal_lines: WHOLE_MAP,
      journal_open_ms: Math.round(median(opened)),
      /** What an idle machine takes: the time of this process alone. */
      journal_open_cpu_ms: Math.round(median(busy)),
      prompts_index_ms: Math.round(indexMs),
    }
  } finally {
    terminal.remove()
  }
}

const parts = { throughput: () => throughput(REPLY), resume, memory: clientMemory }
const wanted = process.argv.slice(2)
const outcome: Record<string, unknown> = {}
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) outcome[name] = await measure()
}
process.stdout.write(`${JSON.stringify({ ...outcome, load_average: loadavg() })}\n`)
