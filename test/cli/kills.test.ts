import { describe, expect, test } from 'vitest'
import { killAtRandom } from '../bench/kills.ts'

describe('failmap run killed again and again', () => {
  test('no answer is lost or changed, and none is asked twice beyond those under way', async () => {
    const outcome = await killAtRandom({
      kills: 12,
      tasks: 400,
      connections: 4,
      seed: 7,
      slowestMs: 30,
    })
    expect(outcome).toMatchObject({ lost: 0, repeated: 0, changed: 0, answered: outcome.tasks })
    expect(outcome.askedAgain).toBeLessThanOrEqual(outcome.allowedAgain)
  })
})
