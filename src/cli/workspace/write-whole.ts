import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Whole or not at all, whatever happens in between. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}.part`
  try {
    writeFileSync(draft, text)
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
