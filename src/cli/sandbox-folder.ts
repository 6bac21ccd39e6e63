import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXIT } from './exit.ts'
import { Failure } from './failure.ts'

/**
 * The folder that holds the Python package `sandbox`: beside the bundle's folder, or further up
 * where the client runs from its sources.
 */
export function sandboxFolder(): string {
  const start = path.dirname(fileURLToPath(import.meta.url))
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'sandbox', '__main__.py'))) return folder
    if (folder === path.dirname(folder)) break
  }
  throw new Failure(EXIT.usage, 'the Python sandbox is not beside this client', {
    why: `looked for sandbox/ in ${start} and above`,
    next: 'run the client from a checkout of the repository (npm run build)',
  })
}
