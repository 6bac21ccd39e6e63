import { describe, expect, test } from 'vitest'
import { POLICIES } from '../../src/protocol/policy-data.ts'
import { cut, desk } from './desk.ts'

describe('failmap quota', () => {
  test('tells what an epoch allows and what was made of it, under the name of sb-cli too', async () => {
    const { terminal, epoch } = await desk()
    await terminal.type('submit', '--wait')
    const { out } = await terminal.type('get-quotas', '--json')
    const [practice, sealed] = JSON.parse(out).quotas
    expect(practice).toEqual({
      epoch: epoch.view.card.id,
      part: 'practice',
      budget: null,
      made: 0,
      left: null,
    })
    expect(sealed).toMatchObject({ part: 'sealed', budget: null, made: 1, left: null })
    expect((await terminal.type('quota')).out).toContain('sealed  1 made, no limit')
  })

  test('a budget gets smaller with each submission, and a withdrawn one gives its place back', async () => {
    const { terminal, api, epoch } = await desk()
    Object.assign(epoch.view.card, { kind: 'live', policy: POLICIES.live })
    const sealed = async () => JSON.parse((await terminal.type('quota', '--json')).out).quotas[1]
    api.faults.before = (request, response) => request.method === 'PUT' && cut(request, response)
    await terminal.type('submit')
    expect(await sealed()).toMatchObject({ budget: 3, made: 1, left: 2 })
    await terminal.type('cancel')
    expect(await sealed()).toMatchObject({ budget: 3, made: 0, left: 3 })
  })

  test('an epoch that the API does not know is refused by it', async () => {
    const { terminal } = await desk()
    const ending = await terminal.type('quota', 'open-1999-01')
    expect(ending.exit).not.toBe(0)
    expect(ending.err).toContain('not-found')
  })
})
