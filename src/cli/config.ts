import { existsSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { normaliseOrigin } from '../protocol/origin.ts'
import { parseDotenv } from './dotenv.ts'
import { EXIT } from './exit.ts'
import { Failure } from './failure.ts'
import type { Environment, Io } from './io.ts'
import { readJsonFile, readTextFile } from './text-file.ts'

/** `config.json` in the home folder. */
const fileSchema = z.strictObject({
  api_url: z.string().optional(),
  workspace: z.string().optional(),
  organisation: z.string().optional(),
})

export type Config = {
  /** Process environment over `.env`. */
  env: Environment
  home: string
  workspace: string
  apiOrigin: string
  /** From flag, environment or file; the registration in the home folder is the usual source. */
  organisation: string | undefined
  /** How long an upload or a download may stand still. */
  stallMs: number
}

export type ConfigFlags = {
  home?: string | undefined
  workspace?: string | undefined
  apiUrl?: string | undefined
  organisation?: string | undefined
}

/** Longer than a phone takes to find its network again, or a proxy to scan a file. */
const STALL_SECONDS = 120

const MOST_SECONDS = 2_000_000
const LOCAL_API = 'http://127.0.0.1:8787'

/** Settings by precedence: flags, environment, `.env`, the config file, defaults. */
export function readConfig(flags: ConfigFlags, io: Io): Config {
  const env = { ...readDotenv(io.cwd), ...present(io.env) }
  const home = path.resolve(
    io.cwd,
    flags.home ?? env.FAILMAP_HOME ?? path.join(io.home, '.failmap'),
  )
  const file = readFile(path.join(home, 'config.json'))
  const workspace = flags.workspace ?? env.FAILMAP_WORKSPACE ?? file.workspace ?? 'failmap-work'
  const apiUrl = flags.apiUrl ?? env.FAILMAP_API_URL ?? file.api_url ?? LOCAL_API
  const apiOrigin = normaliseOrigin(apiUrl.includes('://') ? apiUrl : `http://${apiUrl}`)
  if (apiOrigin === undefined) {
    throw new Failure(EXIT.usage, `"${apiUrl}" is not an address of an API`, {
      next: 'give --api-url https://HOST or set FAILMAP_API_URL',
    })
  }
  return {
    env,
    home,
    workspace: path.resolve(io.cwd, workspace),
    apiOrigin,
    organisation: flags.organisation ?? env.FAILMAP_ORGANISATION ?? file.organisation,
    stallMs: 1000 * readSeconds('FAILMAP_STALL_SECONDS', env.FAILMAP_STALL_SECONDS, STALL_SECONDS),
  }
}

/** At most what a timer can wait: 24 days. */
function readSeconds(name: string, text: string | undefined, usual: number): number {
  const seconds = Number(text ?? usual)
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds
  throw new Failure(EXIT.usage, `${name} is a number of seconds, not "${text}"`)
}

function readDotenv(folder: string): Record<string, string> {
  const file = path.join(folder, '.env')
  return existsSync(file) ? parseDotenv(readTextFile(file)) : {}
}

/** An empty variable counts as absent, as people unset things in CI files. */
function present(env: Environment): Record<string, string> {
  const values: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && value !== '') values[name] = value
  }
  return values
}

function readFile(file: string): z.infer<typeof fileSchema> {
  if (!existsSync(file)) return {}
  const parsed = fileSchema.safeParse(readJsonFile(file))
  if (parsed.success) return parsed.data
  throw new Failure(EXIT.usage, `${file} has settings that are not known`, {
    why: z.prettifyError(parsed.error).replace(/\s+/g, ' '),
    next: `known are: ${Object.keys(fileSchema.shape).join(', ')}`,
  })
}
