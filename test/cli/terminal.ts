import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Io, type Sink, sleep } from '../../src/cli/io.ts'
import { main } from '../../src/cli/main.ts'

export type Ending = { exit: number; out: string; err: string }

/** A folder of its own for each test, with a home and a working folder in it. */
export class Terminal {
  readonly folder = mkdtempSync(path.join(os.tmpdir(), 'failmap-test-'))
  readonly home = path.join(this.folder, 'home')
  interrupt = new AbortController()
  env: Record<string, string> = {}
  /** Milliseconds that this machine's clock is wrong. */
  clockErrorMs = 0
  isTerminal = false
  /** Waits of the client pass this many times faster. */
  pace = 20
  #err = ''

  /** What went to stderr so far, also while a command runs. */
  get talk(): string {
    return this.#err
  }

  async type(...argv: string[]): Promise<Ending> {
    const out = new Text(this.isTerminal)
    const err = new Text(this.isTerminal, (text) => {
      this.#err += text
    })
    const exit = await main(argv, this.#io(out, err))
    return { exit, out: out.text, err: err.text }
  }

  #io(stdout: Sink, stderr: Sink): Io {
    return {
      stdout,
      stderr,
      stdin: (async function* () {})(),
      env: {
        PATH: process.env.PATH,
        FAILMAP_HOME: this.home,
        FAILMAP_WORKSPACE: this.workspace,
        ...this.env,
      },
      cwd: this.folder,
      home: this.folder,
      platform: process.platform,
      now: () => Date.now() + this.clockErrorMs,
      randomBytes: (count) => randomBytes(count),
      sleep: (ms, signal) => sleep(ms / this.pace, signal),
      interrupted: this.interrupt.signal,
    }
  }

  get workspace(): string {
    return path.join(this.folder, 'work')
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

class Text implements Sink {
  text = ''
  readonly columns = 80
  readonly isTerminal: boolean
  readonly #also: ((text: string) => void) | undefined

  constructor(isTerminal: boolean, also?: (text: string) => void) {
    this.isTerminal = isTerminal
    this.#also = also
  }

  write(text: string): void {
    this.text += text
    this.#also?.(text)
  }
}
