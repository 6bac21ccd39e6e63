// What the client adds to a fast server, and what it costs to resume and submit the largest run.
// `node test/bench/client.ts [throughput|resume|memory …]`; without names: all three.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import path from 'node:path'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { chatDialect } from '../../src/cli/model/openai-dialect.ts'
import { findEpoch } from '../../src/cli/workspace/epochs.ts'
import { Journal, settingsDigest } from '../../src/cli/workspace/journal.ts'
import { Prompts } from '../../src/cli/workspace/prompts.ts'
import { sampleEpoch } from '../cli/sample-epoch.ts'
import { Terminal } from '../cli/terminal.ts'
import { putEpoch } from '../cli/workspace.ts'
import { clientMemory } from './client-memory.ts'

const CONNECTIONS = 32
const ROUNDS = 5
const TASKS_PER_CATEGORY = 12
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

const statsSchema = z.object({ count: z.number(), ms: z.number() })

/** Answers per second of a loop that only asks, and of `failmap run`, in turns on one server. */
async function throughput() {
  const server = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'model-server-process.ts'), REPLY],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  try {
    const [chunk] = await once(server.stdout, 'data')
    const origin = `http://127.0.0.1:${String(chunk).trim()}`
    const epoch = await sampleEpoch({
      categories: 256,
      practice: 2,
      sealed: TASKS_PER_CATEGORY - 2,
      pad: 3000,
    })
    const rates: { bare: number; client: number; whole: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      await stats(origin)
      await bareLoop(
        origin,
        epoch.prompts.map(({ prompt }) => prompt),
      )
      const bare = perSecond(await stats(origin))
      const whole = await clientRun(origin, epoch)
      rates.push({ bare, client: perSecond(await stats(origin)), whole })
    }
    const bare = median(rates.map((rate) => rate.bare))
    const client = median(rates.map((rate) => rate.client))
    return {
      tasks: epoch.prompts.length,
      connections: CONNECTIONS,
      bare_per_second: Math.round(bare),
      client_per_second: Math.round(client),
      share_percent: Math.round(median(rates.map((rate) => (100 * rate.client) / rate.bare))),
      whole_command_seconds: median(rates.map((rate) => rate.whole)),
      rounds: rates,
    }
  } finally {
    server.kill()
  }
}

/** What no client can do without: a request body for each prompt, and the bytes of the answer. */
async function bareLoop(origin: string, prompts: readonly string[]): Promise<void> {
  const agent = new Agent({ connections: CONNECTIONS })
  let next = 0
  const worker = async () => {
    for (let prompt = prompts[next++]; prompt !== undefined; prompt = prompts[next++]) {
      const body = chatDialect.body({
        model: 'coder-7b',
        messages: [{ role: 'user', content: prompt }],
        maxTokens: 4096,
        sampling: { temperature: 0, seed: 0, topP: null },
        numCtx: null,
        stream: true,
      })
      const answer = await request(`${origin}/v1/chat/completions`, {
        method: 'POST',
        dispatcher: agent,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      await answer.body.text()
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  await agent.destroy()
}

/** Seconds of the whole command, from its start to the last reading. */
async function clientRun(
  origin: string,
  epoch: Awaited<ReturnType<typeof sampleEpoch>>,
): Promise<number> {
  const terminal = new Terminal()
  try {
    await putEpoch(terminal.workspace, epoch)
    const startedAt = performance.now()
    const ending = await terminal.type('run', '--base-url', origin, '-j', String(CONNECTIONS))
    if (ending.exit !== 0) throw new Error(ending.err)
    return (performance.now() - startedAt) / 1000
  } finally {
    terminal.remove()
  }
}

async function stats(origin: string) {
  const answer = await request(`${origin}/stats`)
  return statsSchema.parse(await answer.body.json())
}

const perSecond = ({ count, ms }: { count: number; ms: number }) => (1000 * count) / ms

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}

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

const parts = { throughput, resume, memory: clientMemory }
const wanted = process.argv.slice(2)
const outcome: Record<string, unknown> = {}
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length === 0 || wanted.includes(name)) outcome[name] = await measure()
}
process.stdout.write(`${JSON.stringify({ ...outcome, load_average: loadavg() })}\n`)
