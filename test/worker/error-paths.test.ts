import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import { type SubmissionView, submissionViewSchema } from '../../src/protocol/submission.ts'
import { createApp } from '../../src/worker/http/app.ts'
import { problem } from './fake-sandbox.ts'
import { expectProblem } from './problems.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})

const view = async (vendor: Vendor, id: string): Promise<SubmissionView> =>
  submissionViewSchema.parse(await vendor.view(id))

describe('R04 every error path', () => {
  const MARKER = 'MARKER-7f3a91'

  test('answers fixed words; neither a reply, a log line, a row nor a blob holds what was sent', async () => {
    const logged: string[] = []
    const forced = await openWorld()
    const owner = await Vendor.join(forced, 'Marked')
    const broken = {
      ...forced.deps,
      db: new Proxy(forced.deps.db, {
        get: () => () => {
          throw new Error(`${MARKER} SELECT * FROM submissions WHERE id = '${MARKER}'`)
        },
      }),
      log: (event: string, fields = {}) => {
        forced.deps.log(event, fields)
      },
    }
    const app = createApp(() => broken)
    const replies = [
      await app.fetch(new Request(`https://failmap.test/v1/epochs/${MARKER.toLowerCase()}`), env),
      await forced.fetch(`/v1/epochs/${MARKER}`),
      await forced.fetch(`/v1/reports/${MARKER}`),
      await forced.fetch(`/${MARKER}`),
      await forced.fetch('/v1/keys', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jwk: { kty: `<${MARKER}>`, [MARKER]: MARKER }, proof: MARKER }),
      }),
      await forced.fetch('/v1/keys', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{"${MARKER}":"${MARKER}`,
      }),
      await owner.send('POST', '/v1/submissions', { manifest: MARKER, [MARKER]: 1 }),
    ]
    const id = await owner.submit(forced.epochs.open)
    const patches = patchesOf(forced.epochs.open, () => `# ${MARKER}\n`)
    const manifest = await owner.manifest(forced.epochs.open, patches)
    const opened: { submission: string } = await (await owner.open(manifest)).json()
    const broken2 = patches.slice()
    broken2[5] = 0
    const path = `/v1/submissions/${opened.submission}/patches`
    const digest = manifest.patches.sha256
    const token = await owner.token('PUT', path, digest)
    replies.push(
      await forced.fetch(path, {
        method: 'PUT',
        body: broken2,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      }),
    )
    forced.sandbox.respond = () => problem(MARKER, 500)
    await forced.deliver(forced.queue.splice(0).map(({ body }) => body))
    forced.sandbox.respond = () => new Response(MARKER, { status: 500 })
    await forced.deliver([
      { v: 1, kind: 'shard', submission: id, category: MARKER, digest: MARKER },
    ])

    for (const reply of replies) {
      expect(reply.status).toBeGreaterThanOrEqual(400)
      expect(await reply.text()).not.toContain(MARKER)
    }
    logged.push(...forced.logged)
    expect(logged.length).toBeGreaterThan(3)
    expect(logged.join('\n')).not.toContain(MARKER)
    const tables = [
      'organisations',
      'keys',
      'submissions',
      'shards',
      'tallies',
      'reports',
      'dead_letters',
      'uploads',
    ]
    for (const table of tables) {
      const rows = await env.DB.prepare(`SELECT * FROM ${table}`).all()
      expect(JSON.stringify(rows.results), table).not.toContain(MARKER)
    }
  })

  test('CL-199 shows a hostile name as text', async () => {
    const owner = await Vendor.join(world, 'Hostile <script>alert(1)</script>')
    const patches = patchesOf(world.epochs.open)
    const name = '<img src=x onerror=alert(1)>'
    const manifest = await owner.manifest(world.epochs.open, patches)
    const opened: { submission: string } = await (
      await owner.open({ ...manifest, model: { ...manifest.model, name } })
    ).json()
    await owner.upload(opened.submission, patches)
    await world.drain()
    const { report } = await view(owner, opened.submission)
    for (const path of [`/reports/${report}`, '/epochs/open-1']) {
      const html = await (await world.fetch(path)).text()
      expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
      expect(html).not.toContain('<img src=x')
      expect(html).not.toContain('<script')
    }
    const control = {
      ...manifest,
      jti: 'B'.repeat(22),
      model: { ...manifest.model, name: 'a\u202eb' },
    }
    await expectProblem(await owner.open(control), 'body-invalid')
  })
})
