import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { SetupError } from './process.ts'
import { root, stateFolder } from './root.ts'

export type LongStep = {
  /** What the person who waits reads, such as `compiling llama.cpp`. */
  doing: string
  command: string
  args: string[]
  env?: Record<string, string>
}

/** `[37/141]` at the start of a line, as ninja counts. */
const COUNT = /^\s*\[(\d+)\/(\d+)\]/gm
const PLAIN_EVERY_MS = 20_000
const TERMINAL_EVERY_MS = 1000
const TAIL_LINES = 15

/**
 * Runs a command that takes minutes: its words go to a log, its progress to the terminal.
 *
 * The command gets a process group of its own, which Ctrl-C ends as a whole: a compiler that lived
 * on would write into a folder that the next start uses.
 * @throws SetupError with the last words of the log.
 */
export async function follow(step: LongStep, next: string): Promise<void> {
  const log = path.join(stateFolder, 'logs', 'small-model.log')
  mkdirSync(path.dirname(log), { recursive: true })
  const file = createWriteStream(log)
  const startedAt = performance.now()
  const child = spawn(step.command, step.args, {
    cwd: root,
    env: { ...process.env, ...step.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let count = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(file, { end: false })
    stream.setEncoding('utf8').on('data', (text: string) => {
      const [, done, all] = [...text.matchAll(COUNT)].at(-1) ?? []
      if (done !== undefined) count = `${done} of ${all} steps`
    })
  }
  const stop = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  const show = progressLine(step.doing, () => [count, elapsed(startedAt)])
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', resolve)
    })
    if (code === 0) return
  } finally {
    show.end()
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
    await new Promise((resolve) => file.end(resolve))
  }
  const tail = readFileSync(log, 'utf8').trim().split('\n').slice(-TAIL_LINES).join('\n    ')
  throw new SetupError(
    `${step.doing} failed`,
    `its last words were:\n    ${tail || '(none)'}`,
    `${next} (all of it: ${path.relative(process.cwd(), log)})`,
  )
}

/** One line that is rewritten on a terminal, and a new line now and then elsewhere. */
function progressLine(doing: string, parts: () => string[]): { end: () => void } {
  const { stdout } = process
  const text = () => `   ${[doing, ...parts()].filter((part) => part !== '').join(', ')}`
  const write = () => stdout.write(stdout.isTTY ? `\r${text()}\u001b[K` : `${text()}\n`)
  write()
  const timer = setInterval(write, stdout.isTTY ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)
  return {
    end() {
      clearInterval(timer)
      if (stdout.isTTY) write()
      if (stdout.isTTY) stdout.write('\n')
    },
  }
}

function elapsed(startedAt: number): string {
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return seconds === 0 ? '' : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
