import { mkdirSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { z } from 'zod'
import { ready, type Service, SetupError, startService } from './process.ts'
import { python, stateFolder } from './root.ts'
import type { Secrets } from './secrets.ts'
import { run } from './steps.ts'

export type Ports = { api: number; sandbox: number }
export type Started = { service: Service; url: string; health: unknown }

/** Where wrangler takes a cron event by hand; the expression is that of wrangler.toml. */
const SWEEP = `/cdn-cgi/local/scheduled?cron=${encodeURIComponent('* * * * *')}`

const healthSchema = z.object({ status: z.string() }).loose()

/** `--port N` moves both services: the API to N, the sandbox to N + 1. */
export function portsFrom(args: string[]): Ports {
  const at = args.indexOf('--port')
  if (at < 0) return { api: 8787, sandbox: 8788 }
  const api = Number(args[at + 1])
  if (Number.isInteger(api) && api >= 1024 && api <= 65_534) return { api, sandbox: api + 1 }
  throw new SetupError(
    `--port ${args[at + 1] ?? ''} is not a port`,
    'it must be a whole number from 1024 to 65534',
    'leave it out for 8787, or give another number',
  )
}

async function taken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true) ?? socket.destroy())
    socket.once('error', () => resolve(false))
  })
}

async function requireFree(port: number): Promise<void> {
  if (!(await taken(port))) return
  throw new SetupError(
    `port ${port} is taken`,
    'another program listens on it, perhaps an earlier `npm start`',
    'stop that program, or give another port: `npm run demo -- --port 8887`',
  )
}

/** Answers the health document of a service, or null while it is not there yet. */
export async function health(url: string, token?: string): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/health`, { headers, signal: AbortSignal.timeout(2000) })
  if (!answer.ok) return null
  return healthSchema.parse(await answer.json())
}

/** Starts the Python sandbox on 127.0.0.1; it refuses where it cannot confine a patch. */
export async function startSandbox(ports: Ports, secrets: Secrets): Promise<Started> {
  await requireFree(ports.sandbox)
  const args = ['-m', 'sandbox', 'serve', '--host', '127.0.0.1', '--port', String(ports.sandbox)]
  const service = startService('sandbox', python, args, { SANDBOX_TOKEN: secrets.sandboxToken })
  const url = `http://127.0.0.1:${ports.sandbox}`
  const found = await ready(service, () => health(url, secrets.sandboxToken), 30)
  return { service, url, health: found }
}

/** Applies the migrations, then starts the Worker with D1, R2, queue and Durable Objects kept in `.failmap/`. */
export async function startApi(ports: Ports, secrets: Secrets): Promise<Started> {
  await requireFree(ports.api)
  const state = path.join(stateFolder, 'state')
  mkdirSync(state, { recursive: true })
  const vars = {
    ENVIRONMENT: 'development',
    ORIGIN: `http://127.0.0.1:${ports.api}`,
    SANDBOX_URL: `http://127.0.0.1:${ports.sandbox}`,
    SANDBOX_TOKEN: secrets.sandboxToken,
    OPERATOR_TOKEN: secrets.operatorToken,
    // A local queue forgets everything at a restart: do not wait minutes to notice.
    LOST_AFTER_SECONDS: '15',
    EPOCH_KEYS: JSON.stringify(secrets.epochKeys),
    REPORT_SIGNING_KEY: secrets.reportSigningKey,
  }
  const envFile = path.join(stateFolder, 'worker.env')
  const lines = Object.entries(vars).map(([name, value]) => `${name}='${value}'`)
  writeFileSync(envFile, `${lines.join('\n')}\n`, { mode: 0o600 })
  const quiet = { WRANGLER_SEND_METRICS: 'false', CLOUDFLARE_CF_FETCH_ENABLED: 'false', CI: 'true' }
  Object.assign(process.env, quiet)
  const migrate = ['d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', state]
  if ((await run({ name: 'migrations', command: 'wrangler', args: migrate, quiet: true })) !== 0) {
    throw new SetupError(
      'the database migrations did not apply',
      'wrangler refused; its message is above',
      'remove the folder .failmap/state (local data only) and run the same command again',
    )
  }
  const args = ['dev', '--ip', '127.0.0.1', '--port', String(ports.api), '--persist-to', state]
  args.push('--env-file', envFile, '--log-level', 'warn', '--show-interactive-dev-session=false')
  const service = startService('api', 'wrangler', args, quiet)
  const url = `http://127.0.0.1:${ports.api}`
  const found = await ready(service, () => health(url), 60)
  // Nothing fires cron locally; the sweep is what finds work that a killed service forgot.
  setInterval(() => void fetch(`${url}${SWEEP}`).catch(() => null), 20_000).unref()
  return { service, url, health: found }
}
