import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { dependencies } from '../../src/worker/deps.ts'
import { expectProblem } from './problems.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld } from './world.ts'

const real = () => ({ rates: dependencies(env).rates })

/** Sends until the first refusal. Rates count by the minute of the clock, so two full ones may pass. */
async function flood(rate: number, send: () => Promise<Response>) {
  for (let passed = 0; passed <= 2 * rate; passed += 1) {
    const response = await send()
    if (response.status === 429) return { passed, response }
  }
  throw new Error('nothing slowed it')
}

test('a flood of registrations from one address is slowed, and told when to come again', async () => {
  const world = await openWorld(real)
  const register = () =>
    world.fetch('/v1/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
  const { passed, response } = await flood(10, register)
  expect(passed).toBeGreaterThanOrEqual(10)
  expect(response.headers.get('retry-after')).toBe('30')
  await expectProblem(response, 'rate-limited')
})

test('a flood of submissions slows its organisation and no other', async () => {
  const calm = await openWorld()
  const [eager, other] = [await Vendor.join(calm, 'Eager'), await Vendor.join(calm, 'Calm')]
  const world = await openWorld(real)
  const epoch = world.epochs.open
  const open = async (vendor: Vendor) => {
    const guest = new Vendor(world, vendor.signer)
    guest.organisation = vendor.organisation
    return guest.open(await guest.manifest(epoch, patchesOf(epoch)))
  }
  const { passed, response } = await flood(30, () => open(eager))
  expect(passed).toBeGreaterThanOrEqual(30)
  await expectProblem(response, 'rate-limited')
  expect((await open(other)).status).toBe(201)
})
