import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')
const TOOLS = path.join(ROOT, 'node_modules', '.bin')

/** The interpreters that the published client must run on: the system's and the newest. */
export const NODES = {
  system: process.env.FAILMAP_SYSTEM_NODE ?? systemNode(),
  newest: path.join(TOOLS, 'node'),
}

function systemNode(): string {
  const outside = (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
  return execFileSync('which', ['node'], { env: { PATH: outside.join(':') } })
    .toString()
    .trim()
}

/** Bundles the client as it is published, into `dist/` beside the Python sandbox. */
export function buildBinary(): { file: string; remove: () => void } {
  mkdirSync(path.join(ROOT, 'dist'), { recursive: true })
  const folder = mkdtempSync(path.join(ROOT, 'dist', 'test-'))
  const draft = path.join(folder, 'draft', 'failmap.js')
  execFileSync(
    path.join(TOOLS, 'rolldown'),
    [
      'src/cli/bin.ts',
      '--platform',
      'node',
      '--format',
      'esm',
      '--transform.target',
      'es2020',
      '--file',
      draft,
    ],
    { cwd: ROOT, stdio: 'pipe', env: { ...process.env, PATH: `${TOOLS}:${process.env.PATH}` } },
  )
  const file = path.join(folder, 'failmap.js')
  renameSync(draft, file)
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export type Ended = { code: number | null; signal: string | null; out: string; err: string }

export type Started = {
  child: ChildProcess
  ended: Promise<Ended>
  output: () => { out: string; err: string }
}

/** Starts the bundled client; `ended` resolves when it and its pipes are done. */
export function start(
  node: string,
  file: string,
  argv: readonly string[],
  { env = {}, cwd }: { env?: Record<string, string>; cwd?: string } = {},
): Started {
  const child = spawn(node, [file, ...argv], {
    env: { PATH: process.env.PATH ?? '', ...env },
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err }))
  })
  return { child, ended, output: () => ({ out, err }) }
}
