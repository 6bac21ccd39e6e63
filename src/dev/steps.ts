import { spawn } from 'node:child_process'
import { root } from './root.ts'

export type Step = { name: string; command: string; args: string[]; quiet?: boolean }

/** Runs one command from the root, on this terminal or (quiet) shown only when it fails; answers its exit code. */
export function run(step: Step): Promise<number> {
  return new Promise((resolve, reject) => {
    const stdio = step.quiet ? 'pipe' : 'inherit'
    const child = spawn(step.command, step.args, {
      cwd: root,
      stdio: ['ignore', stdio, stdio],
    })
    const output: Buffer[] = []
    child.stdout?.on('data', (bytes: Buffer) => output.push(bytes))
    child.stderr?.on('data', (bytes: Buffer) => output.push(bytes))
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      const exit = signal ? 130 : (code ?? 1)
      if (exit !== 0) process.stderr.write(Buffer.concat(output))
      resolve(exit)
    })
  })
}

/** Bundles the client into `dist/failmap.js`; shows the bundler's words only when it fails. */
export const buildClient = (): Promise<number> =>
  run({ name: 'build', command: 'npm', args: ['run', '--silent', 'build'], quiet: true })
