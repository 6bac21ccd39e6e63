import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** A Chromium that can be started here, and the environment its libraries and fonts need. */
export type FoundBrowser = { executablePath: string; env: Record<string, string>; from: string }

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const CARRIER: string = '@sparticuz/chromium'

/** What is used of the npm package; it is looked up at run time, since only x86_64 Linux can use it. */
type Carrier = {
  default: { executablePath(bin: string): Promise<string> }
  inflate(archive: string): Promise<string>
}

const QUIET = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-quic',
  '--no-first-run',
  '--disable-gpu',
]

/**
 * Finds a Chromium: FAILMAP_CHROMIUM, then one on PATH, then the one the npm package carries.
 *
 * @throws Error that says what to install; a page nobody looked at is not a tested page.
 */
export async function findBrowser(
  env: NodeJS.ProcessEnv = process.env,
  carried: () => Promise<FoundBrowser | undefined> = carriedBrowser,
): Promise<FoundBrowser> {
  const chosen = env.FAILMAP_CHROMIUM
  if (chosen !== undefined && chosen !== '') {
    if (isExecutable(chosen)) return { executablePath: chosen, env: {}, from: 'FAILMAP_CHROMIUM' }
    throw new Error(`FAILMAP_CHROMIUM is ${chosen}, which is not a program that can be started`)
  }
  for (const folder of (env.PATH ?? '').split(path.delimiter)) {
    for (const name of NAMES) {
      const executablePath = path.join(folder, name)
      if (folder !== '' && isExecutable(executablePath)) {
        return { executablePath, env: {}, from: 'PATH' }
      }
    }
  }
  const found = await carried()
  if (found !== undefined) return found
  throw new Error(
    'No Chromium found, and the pages are tested in a real one. Install it (Debian: apt-get install chromium), ' +
      `or set FAILMAP_CHROMIUM to its path, or run npm ci on x86_64 Linux, which brings ${CARRIER}.`,
  )
}

/** Starts the browser that `findBrowser` found; the caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, env } = await findBrowser()
  return chromium.launch({ executablePath, args: QUIET, env: { ...inherited(), ...env } })
}

/** The package unpacks itself into the temporary folder; it also brings the libraries that a bare system lacks. */
async function carriedBrowser(): Promise<FoundBrowser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined
  const bin = binFolder()
  if (bin === undefined) return undefined
  const carrier: Carrier = await import(CARRIER)
  const executablePath = await carrier.default.executablePath(bin)
  const libraries = await carrier.inflate(path.join(bin, 'al2023.tar.br'))
  const fonts = await carrier.inflate(path.join(bin, 'fonts.tar.br'))
  return {
    executablePath,
    env: { LD_LIBRARY_PATH: path.join(libraries, 'lib'), FONTCONFIG_PATH: fonts },
    from: CARRIER,
  }
}

function binFolder(): string | undefined {
  try {
    const entry = createRequire(import.meta.url).resolve(CARRIER)
    return path.join(path.dirname(entry), '..', 'bin')
  } catch {
    return undefined
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function inherited(): Record<string, string> {
  const pairs = Object.entries(process.env).filter((pair) => pair[1] !== undefined)
  return { HOME: homedir(), ...Object.fromEntries(pairs) }
}
