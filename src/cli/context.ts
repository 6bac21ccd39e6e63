import type { Signer } from '../protocol/jws.ts'
import { Api } from './api.ts'
import { type Config, readConfig } from './config.ts'
import type { Exit } from './exit.ts'
import type { Io } from './io.ts'
import { loadSigner } from './keyring.ts'
import { createTransport } from './model/transport.ts'
import { createPaint, type Paint } from './terminal/paint.ts'

/** Options that every command takes. */
export type GlobalOptions = {
  json?: boolean
  color?: boolean
  apiUrl?: string
  workspace?: string
  home?: string
  organisation?: string
  key?: string
}

/** What a command ends with: data for `--json`, the same as text for people. */
export type Outcome = { data: unknown; text: string; exit?: Exit }

/** What a command works with. */
export type Context = {
  io: Io
  config: Config
  paint: Paint
  /** A line for the person who watches, on stderr; silent with `--json` unless it matters. */
  tell: (line: string) => void
  /** A line that must be seen even by those who read JSON. */
  warn: (line: string) => void
  isJson: boolean
  /** What was typed, for messages that ask to repeat it. */
  commandLine: string
  signer: () => Promise<Signer>
  /** The API, signed when a signer is given. Closed by the rim. */
  api: (signer: Signer | null) => Api
  close: () => Promise<void>
}

export function createContext(options: GlobalOptions, io: Io, argv: readonly string[]): Context {
  const config = readConfig(options, io)
  const isJson = options.json === true
  const transport = createTransport({ env: config.env })
  const warn = (line: string) => io.stderr.write(`${line}\n`)
  const tell = (line: string) => {
    if (!isJson) warn(line)
  }
  return {
    io,
    config,
    paint: createPaint(io.stdout, io.env, options.color !== false),
    tell,
    warn,
    isJson,
    commandLine: ['failmap', ...argv.map(quoted)].join(' '),
    signer: () => loadSigner(config, options.key, io.platform),
    api: (signer) =>
      new Api({
        origin: config.apiOrigin,
        transport,
        signer,
        now: io.now,
        randomBytes: io.randomBytes,
        sleep: (ms) => io.sleep(ms, io.interrupted),
        interrupted: io.interrupted,
        tell,
        stallMs: config.stallMs,
      }),
    close: () => transport.close(),
  }
}

/** An argument as a shell wants it. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./~-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`
}
