import { beforeAll, describe, expect, test } from 'vitest'
import { sha256Hex } from '../../src/protocol/digest.ts'
import { signManifest } from '../../src/protocol/jws.ts'
import { openedSubmissionSchema } from '../../src/protocol/submission.ts'
import { expectProblem } from './problems.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

let world: World
let vendor: Vendor
beforeAll(async () => {
  world = await openWorld()
  vendor = await Vendor.join(world, 'Acme')
})

const honest = () => patchesOf(world.epochs.open)

describe('POST /v1/submissions', () => {
  test('CL-142 is the same submission for the same manifest, and uses the budget once', async () => {
    const live = world.epochs.live
    const owner = await Vendor.join(world, 'Retry')
    const patches = patchesOf(live)
    const manifest = await owner.manifest(live, patches)
    const replies = [
      await owner.open(manifest),
      await owner.open(manifest),
      await owner.open(manifest),
    ]
    expect(replies.map(({ status }) => status)).toEqual([201, 200, 200])
    const ids = await Promise.all(
      replies.map(async (reply) => openedSubmissionSchema.parse(await reply.json()).submission),
    )
    expect(new Set(ids).size).toBe(1)
    for (const more of [1, 2]) {
      expect((await owner.open(await owner.manifest(live, patches))).status, String(more)).toBe(201)
    }
    await expectProblem(await owner.open(await owner.manifest(live, patches)), 'budget-spent')
  })

  test('CL-142 refuses another manifest with the same jti', async () => {
    const manifest = await vendor.manifest(world.epochs.open, honest())
    expect((await vendor.open(manifest)).status).toBe(201)
    const other = { ...manifest, client: { name: 'other', version: '1' } }
    await expectProblem(await vendor.open(other), 'submission-conflict')
  })

  test('CL-169 CL-171 verifies the bytes that came, in one form only', async () => {
    const manifest = await vendor.manifest(world.epochs.open, honest())
    const jws = await signManifest(manifest, vendor.signer)
    const [header, payload, signature] = jws.split('.')
    const forms = [
      `${header}..${signature}`,
      JSON.stringify({ payload, signature, protected: header }),
      `${jws}.x`,
      ` ${jws}`,
    ]
    for (const form of forms) {
      await expectProblem(
        await vendor.send('POST', '/v1/submissions', { manifest: form }),
        'signature-invalid',
      )
    }
    const at = jws.indexOf('.') + 30
    const flipped = jws.slice(0, at) + (jws[at] === 'A' ? 'B' : 'A') + jws.slice(at + 1)
    await expectProblem(
      await vendor.send('POST', '/v1/submissions', { manifest: flipped }),
      'signature-invalid',
    )
    expect((await vendor.send('POST', '/v1/submissions', { manifest: jws })).status).toBe(201)
  })

  test('J08 refuses a manifest for another card, other prompts, another organisation or address', async () => {
    const manifest = await vendor.manifest(world.epochs.open, honest())
    const wrong = '0'.repeat(64)
    const other = await Vendor.join(world, 'Other')
    await expectProblem(
      await vendor.open({ ...manifest, epoch: { ...manifest.epoch, card: wrong } }),
      'epoch-mismatch',
    )
    await expectProblem(
      await vendor.open({ ...manifest, epoch: { ...manifest.epoch, prompts: wrong } }),
      'epoch-mismatch',
    )
    await expectProblem(
      await vendor.open({ ...manifest, epoch: { ...manifest.epoch, id: 'nobody-1' } }),
      'not-found',
    )
    await expectProblem(
      await vendor.open({ ...manifest, organisation: other.organisation }),
      'signature-invalid',
    )
    await expectProblem(
      await vendor.open({ ...manifest, aud: 'https://evil.test' }),
      'signature-invalid',
    )
    await expectProblem(await vendor.open({ ...manifest, prompt_version: 2 }), 'epoch-mismatch')
    const stolen = await signManifest(manifest, vendor.signer)
    await expectProblem(
      await other.send('POST', '/v1/submissions', { manifest: stolen }),
      'signature-invalid',
    )
  })

  test('U04 U06 refuses JSON that two readers could read in two ways', async () => {
    const path = '/v1/submissions'
    for (const body of [
      '{"manifest":"a","manifest":"b"}',
      '{"__proto__":{},"manifest":"a"}',
      '{"manifest":1e999}',
      '{"manifest":"\\ud800"}',
      '[',
      '\ufeff{}',
      `${'['.repeat(5000)}${']'.repeat(5000)}`,
    ]) {
      const token = await vendor.token('POST', path, await sha256Hex(body))
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      await expectProblem(
        await world.fetch(path, { method: 'POST', headers, body }),
        'json-invalid',
      )
    }
    await expectProblem(
      await vendor.send('POST', path, { manifest: 'x', extra: 1 }),
      'body-invalid',
    )
    await expectProblem(
      await vendor.send('POST', path, { manifest: 'x'.repeat(70_000) }),
      'body-too-large',
    )
  })

  test('refuses an epoch that is closed or not open yet', async () => {
    const other = await openWorld()
    const owner = await Vendor.join(other, 'Late')
    const patches = patchesOf(other.epochs.open)
    const early = await owner.manifest(other.epochs.open, patches)
    other.clock.advance(15 * 86_400)
    const late = { ...early, iat: owner.seconds, exp: owner.seconds + 60 }
    await expectProblem(await owner.open(late), 'epoch-closed')
    other.clock.advance(-30 * 86_400)
    const before = await Vendor.join(other, 'Early')
    const manifest = await before.manifest(other.epochs.open, patches)
    await expectProblem(await before.open(manifest), 'epoch-not-open')
  })

  test('takes no place for a submission that was withdrawn while its twin was on the way', async () => {
    let meanwhile: (() => Promise<unknown>) | undefined
    const other = await openWorld(({ quota }) => ({
      quota: {
        ...quota,
        async take(budget, submission, limit) {
          const first = meanwhile
          meanwhile = undefined
          await first?.()
          return quota.take(budget, submission, limit)
        },
      },
    }))
    const owner = await Vendor.join(other, 'Hasty')
    const manifest = () => owner.manifest(other.epochs.live, patchesOf(other.epochs.live))
    const twin = await manifest()
    meanwhile = async () => {
      const { submission }: { submission: string } = await (await owner.open(twin)).json()
      await owner.send('DELETE', `/v1/submissions/${submission}`)
    }
    const late = await owner.open(twin)
    expect([late.status, await late.json()]).toMatchObject([200, { state: 'cancelled' }])
    for (let place = 0; place < 3; place += 1) {
      expect((await owner.open(await manifest())).status).toBe(201)
    }
    await expectProblem(await owner.open(await manifest()), 'budget-spent')
  })
})
