import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { dependencies } from '../../src/worker/deps.ts'
import { expectProblem } from './problems.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld } from './world.ts'

const real = () => ({ rates: dependencies(env).rates })

test('a flood of registrations from one address is slowed, and told when to come again', async () => {
  const world = await openWorld(real)
  const join = () => Vendor.join(world, 'Flood')
  await Promise.all(Array.from({ length: 10 }, join))
  const response = await world.fetch('/v1/keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(response.headers.get('retry-after')).toBe('30')
  await expectProblem(response, 'rate-limited')
})

test('a flood of submissions slows its organisation and no other', async () => {
  const calm = await openWorld()
  const [flood, other] = [await Vendor.join(calm, 'Flood'), await Vendor.join(calm, 'Calm')]
  const world = await openWorld(real)
  const epoch = world.epochs.open
  const open = async (vendor: Vendor) => {
    const guest = new Vendor(world, vendor.signer)
    guest.organisation = vendor.organisation
    return guest.open(await guest.manifest(epoch, patchesOf(epoch)))
  }
  for (let sent = 0; sent < 30; sent += 1) expect((await open(flood)).status).toBe(201)
  await expectProblem(await open(flood), 'rate-limited')
  expect((await open(other)).status).toBe(201)
})
