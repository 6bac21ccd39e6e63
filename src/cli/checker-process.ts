import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { EXIT } from './exit.ts'
import { Failure, messageOf } from './failure.ts'

export type ProcessOptions = {
  /** Program and arguments, such as `['python3', '-m', 'sandbox', 'check']`. */
  command: readonly string[]
  /** The folder that holds `sandbox/`. */
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

type Listeners = {
  onLine: (line: string) => void
  /** Once, after the last line; `why` is in words. */
  onEnd: (why: string) => void
  onDrain: () => void
}

const KEPT_STDERR = 2_000
const STOP_MS = 5_000

/** One coprocess: lines in, lines out, and its last words. */
export class CheckProcess {
  readonly #child: ChildProcess
  #stderr = ''
  #ended: Promise<void>

  constructor({ command, cwd, env }: ProcessOptions, { onLine, onEnd, onDrain }: Listeners) {
    const [program = '', ...args] = command
    this.#child = spawn(program, args, { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'pipe'] })
    const { stdin, stdout, stderr } = this.#child
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT_STDERR)
    })
    // A write after the end is reported by the end itself.
    stdin?.on('error', () => undefined).on('drain', onDrain)
    if (stdout)
      createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onLine)
    this.#ended = new Promise((resolve) => {
      let reported = false
      const end = (why: string) => {
        if (!reported) onEnd(why)
        reported = true
        resolve()
      }
      this.#child.on('error', (error) => end(messageOf(error)))
      this.#child.on('close', (code, signal) => end(this.#lastWords(code, signal)))
    })
  }

  /** False: the pipe is full, wait for the drain. */
  send(line: string): boolean {
    return this.#child.stdin?.write(`${line}\n`) ?? false
  }

  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Ends the input, waits for the exit, and kills what does not end. */
  async stop(): Promise<void> {
    this.#child.stdin?.end()
    const timer = setTimeout(() => this.kill(), STOP_MS)
    await this.#ended
    clearTimeout(timer)
  }

  #lastWords(code: number | null, signal: string | null): string {
    const words = this.#stderr.trim()
    return words === '' ? `ended with ${signal ?? `exit code ${code}`}` : words
  }
}

/** The end of a command whose sandbox does not start. */
export function startFailure(why: string): Failure {
  return new Failure(EXIT.usage, 'the visible checks cannot run on this machine', {
    why,
    next: 'failmap doctor; FAILMAP_PYTHON names another interpreter (3.11 or later)',
  })
}
