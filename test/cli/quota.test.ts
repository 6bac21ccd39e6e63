import { describe, expect, test } from 'vitest'
import { Api } from '../../src/cli/api.ts'
import { TimeLimitReached } from '../../src/cli/model/exchange.ts'
import type { Transport } from '../../src/cli/model/transport.ts'
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
  test('an answer that breaks off is asked for again, and told in words where it always does', async () => {
    const { terminal, api } = await desk()
    let left = 2
    api.faults.before = (_request, response) => {
      if (left-- <= 0) return false
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"epo')
      setTimeout(() => response.destroy(), 10)
      return true
    }
    expect(await terminal.type('quota')).toMatchObject({ exit: 0 })
    left = 100
    const ending = await terminal.type('quota')
    expect(ending.exit).toBe(4)
    expect(ending.err).toContain('broke off')
    expect(ending.err).not.toContain('broke inside')
  })

  test('an API that takes the question and never answers is not waited for for ever', async () => {
    const limits: unknown[] = []
    const fetchNothing: Transport = {
      async request(_url, { timeLimitMs }) {
        limits.push(timeLimitMs)
        throw new TimeLimitReached('the time limit was reached')
      },
      route: () => 'direct',
      close: async () => {},
    }
    const api = new Api({
      origin: 'http://127.0.0.1:9',
      transport: fetchNothing,
      signer: null,
      now: () => 0,
      randomBytes: (count) => new Uint8Array(count),
      sleep: async () => {},
      interrupted: new AbortController().signal,
      tell: () => {},
      stallMs: 120_000,
    })
    await expect(api.health()).rejects.toMatchObject({ exit: 4 })
    expect(limits).toEqual([60_000, 60_000, 60_000, 60_000])
  })
})
