import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { peakMemory } from './memory.ts'

const bundle = path.resolve(import.meta.dirname, '..', '..', 'dist', 'failmap.js')

export type Ended = { stdout: string; stderr: string; seconds: number; peakBytes: number }
export type Running = {
  child: ChildProcess
  ended: Promise<Ended & { code: number | null }>
  crash: () => void
}

/** Starts the built client in a folder; `crash` is a kill -9. */
export function startFailmap(cwd: string, env: Record<string, string>, args: string[]): Running {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [bundle, ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let peakBytes = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakMemory(child.pid ?? 0))
  }, 20)
  const ended = new Promise<Ended & { code: number | null }>((resolve) => {
    child.on('close', (code) => {
      clearInterval(watch)
      const seconds = (performance.now() - startedAt) / 1000
      resolve({ code, stdout, stderr, seconds, peakBytes })
    })
  })
  return { child, ended, crash: () => child.kill('SIGKILL') }
}

/** Runs one command of the built client to its end; throws with its words when it fails. */
export async function failmap(
  cwd: string,
  env: Record<string, string>,
  args: string[],
): Promise<Ended> {
  const { code, ...ended } = await startFailmap(cwd, env, args).ended
  if (code !== 0) throw new Error(`failmap ${args.join(' ')} ended with ${code}:\n${ended.stderr}`)
  return ended
}
