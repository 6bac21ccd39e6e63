import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { styleText } from 'node:util'
import { SetupError } from './process.ts'
import { root } from './root.ts'
import { buildClient } from './steps.ts'
import { say } from './terminal.ts'

const bundle = path.join(root, 'dist', 'failmap.js')

/** Somebody with a key, a workspace and the built client, who types commands on this terminal. */
export class Vendor {
  readonly #folder: string
  readonly #url: string

  constructor(folder: string, url: string) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.#url = url
  }

  /** Makes and registers a key, once. */
  async enter(organisation: string): Promise<void> {
    const home = path.join(this.#folder, 'home')
    const registrations = path.join(home, 'registrations.json')
    if (existsSync(registrations) && readFileSync(registrations, 'utf8').includes(this.#url)) return
    if (!existsSync(path.join(home, 'key.pem'))) await this.type(['keygen'])
    await this.type(['register', '--name', organisation])
  }

  /** Runs one command in sight; `allowed` are exit codes that are part of the story. */
  async type(args: string[], allowed: number[] = [0]): Promise<void> {
    await this.#run(args, allowed, 'inherit')
  }

  /** Runs one command with `--json`: its talk in sight, its data as the answer. */
  async ask(args: string[], allowed: number[] = [0]): Promise<unknown> {
    return JSON.parse(await this.#run([...args, '--json'], allowed, 'pipe'))
  }

  async #run(args: string[], allowed: number[], out: 'inherit' | 'pipe'): Promise<string> {
    say(styleText('dim', `$ failmap ${args.map(quoted).join(' ')}`))
    const child = spawn(process.execPath, [bundle, ...args], {
      cwd: this.#folder,
      stdio: ['ignore', out, 'inherit'],
      env: {
        ...process.env,
        FAILMAP_HOME: path.join(this.#folder, 'home'),
        FAILMAP_API_URL: this.#url,
      },
    })
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    if (code !== null && allowed.includes(code)) return text
    throw new SetupError(
      `failmap ${args[0]} ended with exit code ${code}`,
      'its own message is above',
      'mend the cause and run the same command again: it goes on where it stopped',
    )
  }
}

const quoted = (argument: string): string => (/\s/.test(argument) ? `"${argument}"` : argument)

/** Bundles the client that vendors type. */
export async function requireClient(): Promise<void> {
  if ((await buildClient()) === 0) return
  throw new SetupError(
    'the client could not be bundled',
    'the message of rolldown is above',
    'mend what it names and run the same command again',
  )
}
