import { beforeAll, describe, expect, test } from 'vitest'
import { epochViewSchema } from '../../src/protocol/epoch.ts'
import { reportSchema } from '../../src/protocol/report.ts'
import {
  type SubmissionView,
  submissionListSchema,
  submissionViewSchema,
} from '../../src/protocol/submission.ts'
import { FIXED, problem } from './fake-sandbox.ts'
import { expectProblem } from './problems.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { DEAD_QUEUE, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const view = async (vendor: Vendor, id: string): Promise<SubmissionView> =>
  submissionViewSchema.parse(await vendor.view(id))

describe('a sealed submission to a live epoch', () => {
  test('R01 CL-159 shows the same constant, whatever its patches are worth, until the release', async () => {
    const owner = await Vendor.join(world, 'Prober')
    const probe = world.epochs.live.instanceIds[3]
    const ids = [
      await owner.submit(world.epochs.live, () => 'pass\n'),
      await owner.submit(world.epochs.live, (id) => (id === probe ? FIXED : 'pass\n')),
    ]
    const shown = async () => {
      const views = await Promise.all(ids.map((id) => view(owner, id)))
      return views.map(({ id, ...rest }) => rest)
    }
    const [before] = await shown()
    await world.drain()
    await world.sweep()
    const [first, second] = await shown()
    expect(first).toEqual(second)
    expect(first).toEqual({ ...before, state: 'received', shards: { total: 4, done: 0 } })
    for (const id of ids) {
      await expectProblem(await world.fetch(`/v1/reports/rpt_${id.slice(4)}`), 'not-found')
      await expectProblem(await world.fetch(`/v1/reports/rpt_${id.slice(4)}.jws`), 'not-found')
      expect((await world.fetch(`/reports/rpt_${id.slice(4)}`)).status).toBe(404)
    }
    expect(await (await world.fetch('/epochs/live-1')).text()).not.toContain('rpt_')
  })

  test('is released with everybody else after the close, with the budget that was used', async () => {
    const later = await openWorld()
    const owner = await Vendor.join(later, 'Patient')
    const id = await owner.submit(later.epochs.live)
    await later.drain()
    later.clock.advance(14 * 86_400 + 400)
    await later.sweep()
    expect(later.queue.map(({ body }) => body)).toContainEqual({
      v: 1,
      kind: 'close',
      submission: id,
    })
    await later.drain()
    expect(await view(owner, id)).toMatchObject({ state: 'received', shards: { done: 0 } })
    await expectProblem(await later.fetch(`/v1/reports/rpt_${id.slice(4)}`), 'not-found')
    expect(
      epochViewSchema.parse(await (await later.fetch('/v1/epochs/live-1')).json()).root,
    ).toBeNull()

    later.clock.advance(86_400)
    const scored = await view(owner, id)
    expect(scored).toMatchObject({ state: 'scored', shards: { total: 4, done: 4 } })
    const report = reportSchema.parse(
      await (await later.fetch(`/v1/reports/${scored.report}`)).json(),
    )
    expect(report.usage).toEqual({ practice: 0, sealed: 1 })
    expect(await (await later.fetch('/epochs/live-1')).text()).toContain(scored.report)
    expect(
      epochViewSchema.parse(await (await later.fetch('/v1/epochs/live-1')).json()).root,
    ).toMatch(/^Ag/)
  })

  test('that could not be judged shows it neither in an upload nor in its budget', async () => {
    const later = await openWorld()
    const owner = await Vendor.join(later, 'Unlucky')
    const patches = patchesOf(later.epochs.live)
    const fate = async (answer: () => Response | undefined) => {
      later.sandbox.respond = answer
      const manifest = await owner.manifest(later.epochs.live, patches)
      const opened: { submission: string } = await (await owner.open(manifest)).json()
      await owner.upload(opened.submission, patches)
      const messages = later.queue.splice(0).map(({ body }) => body)
      await later.deliver(messages, { attempts: 6 })
      await later.deliver(messages, { queue: DEAD_QUEUE })
      return opened.submission
    }
    const judged = await fate(() => undefined)
    const failed = await fate(() => problem('internal', 500))
    await fate(() => undefined)
    const again = async (id: string) => {
      const reply = await owner.upload(id, patches)
      const { state }: { state: string } = await reply.json()
      return [reply.status, state]
    }
    expect(await again(failed)).toEqual([200, 'received'])
    expect(await again(judged)).toEqual([200, 'received'])
    const fourth = await owner.manifest(later.epochs.live, patches)
    await expectProblem(await owner.open(fourth), 'budget-spent')

    later.clock.advance(16 * 86_400)
    expect(await view(owner, failed)).toMatchObject({ state: 'incomplete' })
    await expectProblem(await owner.upload(failed, patches), 'submission-state')
  })

  test('CL-159 CL-181 has a budget of three, whatever arrives at once and by which key', async () => {
    const owner = await Vendor.join(world, 'Greedy')
    const patches = patchesOf(world.epochs.live)
    const manifests = await Promise.all(
      Array.from({ length: 8 }, () => owner.manifest(world.epochs.live, patches)),
    )
    const replies = await Promise.all(manifests.map((manifest) => owner.open(manifest)))
    expect(replies.map(({ status }) => status).sort()).toEqual([
      201, 201, 201, 429, 429, 429, 429, 429,
    ])
    const refused = replies.find(({ status }) => status === 429) ?? new Response()
    expect((await expectProblem(refused, 'budget-spent')).detail).toMatch(/closes 2026-12-02/)
    const room = await owner.manifest(world.epochs.room, patchesOf(world.epochs.room))
    const again = await owner.manifest(world.epochs.room, patchesOf(world.epochs.room))
    const both = await Promise.all([owner.open(room), owner.open(again)])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 429])
  })

  test('CL-154 R06 costs nothing when it is withdrawn before its patches, and its place once they came', async () => {
    const owner = await Vendor.join(world, 'Undecided')
    const patches = patchesOf(world.epochs.room)
    const opened: { submission: string } = await (
      await owner.open(await owner.manifest(world.epochs.room, patches))
    ).json()
    await owner.send('DELETE', `/v1/submissions/${opened.submission}`)
    const id = await owner.submit(world.epochs.room)
    await expectProblem(await owner.send('DELETE', `/v1/submissions/${id}`), 'submission-state')
    await expectProblem(
      await owner.open(await owner.manifest(world.epochs.room, patches)),
      'budget-spent',
    )
  })
})

describe('a practice run', () => {
  test('shows points on a grid at once, and never sends a sealed task to the sandbox', async () => {
    const owner = await Vendor.join(world, 'Trainee')
    const id = await owner.submit(world.epochs.live, () => FIXED, 'practice')
    await world.drain()
    const shown = await view(owner, id)
    expect(shown).toMatchObject({ state: 'scored', part: 'practice' })
    expect(shown.practice).toMatchObject({ citable: false, overall: null })
    expect(shown).not.toHaveProperty('report')
    const sent = world.sandbox.requests.filter(({ submission }) => submission === id)
    expect(sent).toHaveLength(4)
    for (const { patches } of sent) {
      expect(patches.filter(({ module }) => module !== null)).toHaveLength(2)
    }
    await expectProblem(await world.fetch(`/v1/reports/rpt_${id.slice(4)}`), 'not-found')
  })
})

describe('R05 what belongs to another organisation', () => {
  test('looks exactly like what does not exist', async () => {
    const owner = await Vendor.join(world, 'Owner')
    const stranger = await Vendor.join(world, 'Stranger')
    const id = await owner.submit(world.epochs.open)
    const absent = `sub_${'0'.repeat(40)}`
    const patches = patchesOf(world.epochs.open)
    const ask = {
      read: (one: string) => stranger.get(`/v1/submissions/${one}`),
      cancel: (one: string) => stranger.send('DELETE', `/v1/submissions/${one}`),
      upload: (one: string) => stranger.upload(one, patches),
      key: (one: string) =>
        stranger.send(
          'DELETE',
          `/v1/keys/${one === id ? owner.signer.keyId : `key_${'A'.repeat(43)}`}`,
        ),
    }
    for (const [name, request] of Object.entries(ask)) {
      const [theirs, none] = [await request(id), await request(absent)]
      const [a, b] = [
        await expectProblem(theirs, 'not-found'),
        await expectProblem(none, 'not-found'),
      ]
      expect({ ...a, instance: '' }, name).toEqual({ ...b, instance: '' })
      const headers = (reply: Response) =>
        [...reply.headers].filter(([key]) => key !== 'x-request-id')
      expect(headers(theirs), name).toEqual(headers(none))
    }
    const list = submissionListSchema.parse(await (await stranger.get('/v1/submissions')).json())
    expect(list.submissions).toEqual([])
  })
})

describe('R03 the state of a submission', () => {
  test('has the same size whatever was fixed, before the release', async () => {
    const owner = await Vendor.join(world, 'Sizer')
    const none = await owner.submit(world.epochs.live, () => 'pass\n')
    const all = await owner.submit(world.epochs.live, () => FIXED)
    await world.drain()
    const sizes = await Promise.all(
      [none, all].map(
        async (id) => (await (await owner.get(`/v1/submissions/${id}`)).text()).length,
      ),
    )
    expect(new Set(sizes).size).toBe(1)
  })
})
