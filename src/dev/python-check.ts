// Lints and formats the Python sources with ruff's WebAssembly build: one lock file holds every tool.
// `node src/dev/python-check.ts [--write] [path…]`
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { PositionEncoding, Workspace } from '@astral-sh/ruff-wasm-nodejs'
import { root } from './root.ts'

const write = process.argv.includes('--write')
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const files = globSync(paths.length > 0 ? paths : ['{sandbox,tasks,test}/**/*.py'], { cwd: root })
const ruff = new Workspace(
  {
    'line-length': 100,
    'target-version': 'py311',
    lint: { select: ['E4', 'E7', 'E9', 'F', 'I', 'B', 'UP'] },
    format: { 'indent-style': 'space', 'quote-style': 'double' },
  },
  PositionEncoding.Utf32,
)

let wrong = 0
for (const file of files.sort()) {
  const full = path.resolve(root, file)
  const source = readFileSync(full, 'utf8')
  const formatted = ruff.format(source)
  if (formatted !== source) {
    if (write) writeFileSync(full, formatted)
    else {
      wrong += 1
      process.stdout.write(`${file}: not formatted (npm run format)\n`)
    }
  }
  for (const found of ruff.check(write ? formatted : source)) {
    wrong += 1
    const at = found.start_location
    process.stdout.write(`${file}:${at.row}:${at.column}: ${found.code} ${found.message}\n`)
  }
}
process.stdout.write(`ruff: ${files.length} files, ${wrong} findings\n`)
process.exit(wrong > 0 ? 1 : 0)
