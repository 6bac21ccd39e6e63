// `npm run bench -- [sandbox|client|service|crashes|kills …]`: figures of this machine, as ratios
// within one run wherever there is something to compare with. Without names: all of them.
import { python } from './root.ts'
import { buildClient, run, type Step } from './steps.ts'

const node = process.execPath
const benches: Step[] = [
  { name: 'sandbox', command: python, args: ['-m', 'test.bench.sandbox'] },
  { name: 'client', command: node, args: ['test/bench/client.ts'] },
  { name: 'service', command: node, args: ['test/bench/service.ts'] },
  { name: 'crashes', command: node, args: ['test/bench/crashes.ts'] },
  { name: 'kills', command: node, args: ['test/bench/kills.ts'] },
]

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  const names = benches.map(({ name }) => name).join(', ')
  process.stderr.write(`failmap: no bench named ${unknown.join(', ')}; there are ${names}\n`)
  process.exit(2)
}
if ((await buildClient()) !== 0) process.exit(1)
let failed = 0
for (const bench of benches) {
  if (wanted.length > 0 && !wanted.includes(bench.name)) continue
  process.stdout.write(`\n== ${bench.name}\n`)
  if ((await run(bench)) !== 0) failed += 1
}
process.exit(failed > 0 ? 1 : 0)
