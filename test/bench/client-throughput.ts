import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { request } from 'undici'
import { z } from 'zod'
import { sampleEpoch } from '../cli/sample-epoch.ts'
import { putEpoch } from '../cli/workspace.ts'
import { failmap, startFailmap } from './failmap.ts'
import { median } from './median.ts'
import { cpuSeconds, peakMemory } from './memory.ts'

const CONNECTIONS = 32
const ROUNDS = 3
const TASKS_PER_CATEGORY = 48
const READ_PER_CATEGORY = 4

const statsSchema = z.object({ count: z.number(), ms: z.number() })

/** Answers per second, processor milliseconds an answer, and MiB at the peak. */
type Rate = { rate: number; cpuMs: number; mib: number }

/**
 * Answers per second of loops that only ask, and of the built client, each in a process of its own,
 * in turns on one server. All start cold, as a person starts them.
 */
export async function throughput(reply: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'failmap-throughput-'))
  const epoch = await sampleEpoch({
    categories: 256,
    practice: 2,
    sealed: TASKS_PER_CATEGORY - 2,
    pad: 3000,
  })
  const workspace = path.join(folder, 'work')
  await putEpoch(workspace, epoch)
  const tasks = epoch.prompts.length
  const { server, origin } = await startServer(reply)
  const env = { FAILMAP_HOME: path.join(folder, 'home'), FAILMAP_WORKSPACE: workspace }
  const run = ['run', '--base-url', origin, '-j', String(CONNECTIONS)]
  const forget = () => rmSync(path.join(workspace, 'runs'), { recursive: true, force: true })
  try {
    const rounds: { best: Rate; plain: Rate; client: Rate }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const loop = (way: string) => () => startBareLoop(origin, promptsIn(workspace), way)
      const best = await rateOf(origin, tasks, loop('dispatch'))
      const client = await rateOf(origin, tasks, () => startFailmap(folder, env, run).child)
      forget()
      const plain = await rateOf(origin, tasks, loop('request'))
      rounds.push({ best, plain, client })
    }
    const read = ['--per-category', String(READ_PER_CATEGORY)]
    const { seconds } = await failmap(folder, env, [...run, ...read])
    return {
      tasks,
      connections: CONNECTIONS,
      best_loop_per_second: Math.round(median(rounds.map(({ best }) => best.rate))),
      plain_loop_per_second: Math.round(median(rounds.map(({ plain }) => plain.rate))),
      client_per_second: Math.round(median(rounds.map(({ client }) => client.rate))),
      share_of_best_percent: percent(rounds.map(({ best, client }) => client.rate / best.rate)),
      share_of_plain_percent: percent(rounds.map(({ plain, client }) => client.rate / plain.rate)),
      /** Asking and reading, from the start of the command to its end. */
      whole_command: { tasks: 256 * READ_PER_CATEGORY, seconds: Number(seconds.toFixed(1)) },
      rounds,
    }
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

const percent = (shares: number[]) => Math.round(100 * median(shares))

/** Runs until the server has answered every task, then kills: what comes after is not asking. */
async function rateOf(origin: string, tasks: number, start: () => ChildProcess): Promise<Rate> {
  await stats(origin, 0)
  const child = start()
  const { count, ms } = await stats(origin, tasks)
  const pid = child.pid ?? 0
  const cpuMs = (1000 * cpuSeconds(pid)) / count
  const mib = Math.round(peakMemory(pid) / 2 ** 20)
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  return { rate: Math.round((1000 * count) / ms), cpuMs: Number(cpuMs.toFixed(3)), mib }
}

function startBareLoop(origin: string, prompts: string, way: string): ChildProcess {
  const file = path.join(import.meta.dirname, 'bare-loop-process.ts')
  return spawn(process.execPath, [file, origin, prompts, way], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function startServer(reply: string) {
  const file = path.join(import.meta.dirname, 'model-server-process.ts')
  const server = spawn(process.execPath, [file, reply], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [chunk] = await once(server.stdout, 'data')
  return { server, origin: `http://127.0.0.1:${String(chunk).trim()}` }
}

/** What the server counted since it was asked before, once that is `least`. */
async function stats(origin: string, least: number) {
  const answer = await request(`${origin}/stats/${least}`, { headersTimeout: 0 })
  return statsSchema.parse(await answer.body.json())
}

function promptsIn(workspace: string): string {
  const epochs = path.join(workspace, 'epochs')
  const folder = readdirSync(epochs).find((name) => !name.includes('.')) ?? ''
  return path.join(epochs, folder, 'prompts.jsonl')
}
