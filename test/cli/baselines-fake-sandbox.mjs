// Stands in for `python3 -m sandbox check`: what it does is said by the module text.
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [mode, log] = process.argv.slice(2)
appendFileSync(log, 'start\n')
const starts = readFileSync(log, 'utf8').match(/^start$/gm)?.length
if (mode === 'broken' || (mode === 'once' && starts > 1)) {
  process.stderr.write('sandbox: no isolation on this machine.\n')
  process.exit(3)
}
if (mode === 'mute') setInterval(() => undefined, 1_000)
else process.stdout.write('{"ready":true,"isolation":{"profile":"S"}}\n')

if (mode === 'idle death' && starts === 1) {
  process.on('exit', () => appendFileSync(log, 'end\n'))
  process.exit(9)
}

const seen = () => readFileSync(log, 'utf8').split('\n')
const tell = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

for await (const line of createInterface({ input: process.stdin })) {
  const { id, module } = JSON.parse(line)
  const before = seen().includes(module)
  appendFileSync(log, `${module}\n`)
  if (module === 'die' || (module === 'die once' && !before)) process.exit(9)
  if (module === 'hang' || (module === 'hang once' && !before)) await new Promise(() => undefined)
  if (module === 'babble') process.stdout.write('Traceback\n')
  else if (module === 'refuse') tell({ id, error: 'visible' })
  else if (module === 'shape') tell({ id, status: 'maybe' })
  else
    tell({
      id,
      status: 'failed',
      passed: 1,
      total: 2,
      failures: [{ assert: 'a', outcome: module }],
    })
}
