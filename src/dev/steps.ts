import { spawn } from 'node:child_process'
import { root } from './root.ts'

export type Step = { name: string; command: string; args: string[] }

/** Runs one command from the root with its output on this terminal; answers its exit code. */
export function run(step: Step): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(step.command, step.args, { cwd: root, stdio: 'inherit' })
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve(signal ? 130 : (code ?? 1)))
  })
}
