import type { ShardRequest } from '../../src/protocol/shard.ts'
import type { Tally } from '../../src/protocol/tally.ts'
import { CONFINED } from './fake-sandbox.ts'

/** A tally with one thing changed that the API must not sign. */
type Change = (tally: Tally, request: ShardRequest) => unknown
const sealed = (tally: Tally, change: Record<string, unknown>) => ({
  ...tally,
  parts: { ...tally.parts, sealed: { ...tally.parts.sealed, ...change } },
})
/** What is wrong, and how a sound tally becomes so. */
export const nonsense: [string, Change][] = [
  ['another submission', (tally) => ({ ...tally, submission: `sub_${'0'.repeat(40)}` })],
  ['another category', (tally) => ({ ...tally, category: 'fencepost-sampling-x' })],
  ['another epoch', (tally) => ({ ...tally, epoch: 'other-1' })],
  ['another corpus', (tally) => ({ ...tally, corpus: '0'.repeat(64) })],
  ['another protocol', (tally) => ({ ...tally, protocol: 2 })],
  [
    'more tasks than asked',
    (tally) => sealed(tally, { tasks: 5, fixed: tally.parts.sealed.fixed + 1 }),
  ],
  ['more fixed than tasks', (tally) => sealed(tally, { fixed: 400 })],
  ['a negative count', (tally) => sealed(tally, { fixed: -1, wrong: 5 })],
  ['half a task', (tally) => sealed(tally, { fixed: 0.5 })],
  ['NaN', (tally) => sealed(tally, { fixed: Number.NaN })],
  ['a lost task', (tally) => sealed(tally, { wrong: 0 })],
  [
    'answers that were not sent',
    (tally) => sealed(tally, { no_answer: 1, wrong: tally.parts.sealed.wrong - 1 }),
  ],
  ['more fixed than pass the visible checks', (tally) => sealed(tally, { visible_passed: 0 })],
  ['a verdict of one task', (tally) => ({ ...tally, verdicts: ['fixed'] })],
  [
    'a failed reference',
    (tally) => ({ ...tally, controls: { ...tally.controls, reference: { run: 2, held: 1 } } }),
  ],
  [
    'a passed unsolvable',
    (tally) => ({ ...tally, controls: { ...tally.controls, unsolvable: { run: 1, held: 0 } } }),
  ],
  [
    'no controls',
    (tally) => ({
      ...tally,
      controls: { ...tally.controls, known_failing: { run: 0, held: 0 } },
    }),
  ],
  ['no isolation', (tally) => ({ ...tally, isolation: { ...CONFINED, profile: 'unsafe' } })],
  [
    'a self-test that broke out',
    (tally) => ({ ...tally, isolation: { ...CONFINED, self_tests: { run: 12, held: 11 } } }),
  ],
  [
    'self-tests that never ran',
    (tally) => ({ ...tally, isolation: { ...CONFINED, self_tests: { run: 0, held: 0 } } }),
  ],
  [
    'fewer self-tests than there are',
    (tally) => ({ ...tally, isolation: { ...CONFINED, self_tests: { run: 11, held: 11 } } }),
  ],
  [
    'a profile without its namespaces',
    (tally) => ({ ...tally, isolation: { ...CONFINED, user_namespace: false } }),
  ],
  [
    'a profile without its filter',
    (tally) => ({ ...tally, isolation: { ...CONFINED, seccomp: null } }),
  ],
  [
    'a profile without Landlock',
    (tally) => ({ ...tally, isolation: { ...CONFINED, profile: 'L', landlock_abi: 0 } }),
  ],
]
