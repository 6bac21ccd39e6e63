import { execFile } from 'node:child_process'
import fs, { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { LIMITS } from '../../protocol/limits.ts'
import { routePath } from '../../protocol/routes.ts'
import { clockSkewSeconds } from '../clock.ts'
import type { Context } from '../context.ts'
import { Failure, messageOf } from '../failure.ts'
import { readRegistrations } from '../keyring.ts'
import { createTransport } from '../model/transport.ts'
import { nodeMajor } from '../node-version.ts'
import { findEpoch } from '../workspace/epochs.ts'
import { bad, type Finding, good, notice } from './finding.ts'

/** A run keeps about this much per task: the reply and the patch. */
const BYTES_PER_TASK = 8_000
const LEAST_PYTHON = [3, 11] as const

export function checkNode(): Finding {
  return good(
    'node',
    `Node.js ${process.versions.node} (${nodeMajor >= 20 ? 'supported' : 'too old'})`,
  )
}

export async function checkKey({ config, signer }: Context): Promise<Finding> {
  try {
    const { keyId } = await signer()
    const known = readRegistrations(config.home).find(
      ({ api, key }) => api === config.apiOrigin && key === keyId,
    )
    const organisation = config.organisation ?? known?.organisation
    if (organisation !== undefined) return good('key', `${keyId}, ${organisation}`)
    return notice(
      'key',
      `${keyId}, not registered at ${config.apiOrigin}`,
      'failmap register --name NAME',
    )
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const found = [error.message, error.why].filter((part) => part !== undefined).join(': ')
    return notice('key', `${found} (needed to submit, not to run)`, error.next ?? 'failmap keygen')
  }
}

/** API and clock in one question. */
export async function checkApi(context: Context): Promise<Finding[]> {
  const { config, io } = context
  const transport = createTransport({ env: config.env })
  const url = config.apiOrigin + routePath('health')
  const route = transport.route(url) === 'direct' ? 'direct' : `through ${transport.route(url)}`
  try {
    const response = await transport.request(url, {
      method: 'GET',
      signal: AbortSignal.timeout(5000),
    })
    await response.discard()
    const date = response.header('date')
    const isThere = response.status === 200
    return [
      isThere
        ? good('api', `${config.apiOrigin} (${route})`)
        : bad(
            'api',
            `${config.apiOrigin} answers ${response.status} (${route})`,
            'check --api-url',
          ),
      ...(date === undefined ? [] : [clockFinding(Date.parse(date), io.now())]),
    ]
  } catch (error) {
    return [
      notice(
        'api',
        `${config.apiOrigin} does not answer (${route}): ${messageOf(error)}`,
        'start it (npm start), or give --api-url / FAILMAP_API_URL',
      ),
    ]
  } finally {
    await transport.close()
  }
}

function clockFinding(serverMs: number, ownMs: number): Finding {
  const skew = clockSkewSeconds(serverMs, ownMs)
  if (Number.isNaN(skew))
    return notice('clock', 'the API sends no date to compare with', 'none needed')
  const found =
    skew === 0
      ? 'agrees with the API'
      : `${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} the API`
  return Math.abs(skew) <= LIMITS.clockToleranceSeconds
    ? good('clock', found)
    : bad('clock', found, 'set the clock (Linux: timedatectl set-ntp true; WSL: hwclock -s)')
}

export function checkDisk({ config, io }: Context): Finding {
  const folder = existingParent(config.workspace)
  try {
    accessSync(folder, constants.W_OK)
  } catch {
    return bad('disk', `${config.workspace} cannot be written`, 'give --workspace FOLDER that can')
  }
  // By its object: as a named import it would keep old versions from starting to say they are old.
  const { bavail, bsize } = fs.statfsSync(folder)
  const free = bavail * bsize
  const tasks = findEpoch(config.workspace, undefined)?.view.card.prompts.count ?? 24_576
  const needed = tasks * BYTES_PER_TASK
  const found = `${gigabytes(free)} free in ${path.relative(io.cwd, config.workspace) || '.'}`
  return free > needed
    ? good('disk', found)
    : bad(
        'disk',
        `${found}, a run of all ${tasks} tasks needs about ${gigabytes(needed)}`,
        'free some space, or give --workspace on another disk',
      )
}

function existingParent(folder: string): string {
  for (let current = folder; ; current = path.dirname(current)) {
    if (existsSync(current) || current === path.dirname(current)) return current
  }
}

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`

/** Python is needed by `failmap check` and the baselines only. */
export async function checkPython({ config }: Context): Promise<Finding> {
  const python = config.env.FAILMAP_PYTHON ?? 'python3'
  const version = await pythonVersion(python)
  if (version === null) {
    return notice(
      'python',
      `${python} is not there (needed by failmap check and the baselines)`,
      'install Python 3.11 or later, or set FAILMAP_PYTHON',
    )
  }
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough =
    major > LEAST_PYTHON[0] || (major === LEAST_PYTHON[0] && minor >= LEAST_PYTHON[1])
  return isEnough
    ? good('python', `${python} is ${version}`)
    : notice(
        'python',
        `${python} is ${version}, too old for failmap check`,
        'install Python 3.11 or later, or set FAILMAP_PYTHON',
      )
}

function pythonVersion(python: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      python,
      ['-c', 'import platform; print(platform.python_version())'],
      { timeout: 10_000 },
      (error, stdout) => resolve(error === null ? stdout.trim() : null),
    )
  })
}
