import { createScheduledController, env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import worker from '../../src/worker/index.ts'
import { sampleEpoch } from './epoch-sample.ts'
import { FakeSandbox } from './fake-sandbox.ts'
import { ORIGIN, SANDBOX_URL } from './secrets.ts'
import { Vendor } from './vendor.ts'
import { openWorld, publish, type World } from './world.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** The worker as it is deployed, its own queue included; only the sandbox's address is ours. */
async function deployed(): Promise<{ world: World; sandbox: FakeSandbox }> {
  const base = await openWorld()
  const epoch = await sampleEpoch('open-1', 'open')
  const sandbox = new FakeSandbox([epoch])
  const original = globalThis.fetch
  vi.stubGlobal('fetch', (input: RequestInfo | URL, init?: RequestInit) =>
    String(input instanceof Request ? input.url : input).startsWith(SANDBOX_URL)
      ? sandbox.fetch(input, init)
      : original(input, init),
  )
  const world: World = {
    ...base,
    clock: { now: () => Date.now(), advance: () => undefined },
    fetch: (path, init) => exports.default.fetch(new Request(`${ORIGIN}${path}`, init)),
  }
  return { world, sandbox }
}

describe('the worker as deployed', () => {
  test('carries a submission through its own queue to a report', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: (await openWorld()).clock.now() })
    const { world, sandbox } = await deployed()
    await publish(world, world.epochs.open)
    const vendor = await Vendor.join(world, 'Whole')
    const id = await vendor.submit(world.epochs.open)
    await vi.waitFor(async () => expect(await vendor.view(id)).toMatchObject({ state: 'scored' }), {
      timeout: 30_000,
      interval: 200,
    })
    vi.useRealTimers()
    expect(new Set(sandbox.requests.map(({ category }) => category)).size).toBe(4)
    for (const { epoch } of sandbox.requests) expect(epoch.key).toMatch(/^AQ/)
  })

  test('runs its cron, and refuses one it does not know', async () => {
    const event = (cron: string) => createScheduledController({ cron, scheduledTime: new Date() })
    await worker.scheduled(event('* * * * *'), env)
    await expect(worker.scheduled(event('0 0 * * *'), env)).rejects.toThrow('unknown')
  })
})
