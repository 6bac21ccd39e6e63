// Everything that can be said about the sources without running them.
import { run, type Step } from './steps.ts'

const steps: Step[] = [
  { name: 'format and lint (TypeScript)', command: 'biome', args: ['ci', '--reporter=summary'] },
  { name: 'types (TypeScript)', command: 'tsc', args: ['-b'] },
  {
    name: 'format and lint (Python)',
    command: process.execPath,
    args: ['src/dev/python-check.ts'],
  },
  { name: 'types (Python)', command: 'pyright', args: ['--level', 'error'] },
  {
    name: 'bundle of the Worker',
    command: 'wrangler',
    args: ['deploy', '--dry-run', '--containers-rollout=none', '--outdir', 'dist/worker'],
  },
]

const failed: string[] = []
for (const step of steps) {
  process.stdout.write(`\n== ${step.name}\n`)
  if ((await run(step)) !== 0) failed.push(step.name)
}
process.stdout.write(failed.length ? `\nfailed: ${failed.join(', ')}\n` : '\nall checks hold\n')
process.exit(failed.length ? 1 : 0)
