import { env } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import { sha256Hex } from '../../src/protocol/digest.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { FIXED } from './fake-sandbox.ts'
import { expectProblem } from './problems.ts'
import { bombOf, bytesOf, gzip } from './upload-bytes.ts'
import { patchesOf, Vendor } from './vendor.ts'
import { openWorld, type World } from './world.ts'

let world: World
let vendor: Vendor
beforeAll(async () => {
  world = await openWorld()
  vendor = await Vendor.join(world, 'Acme')
})

/** Opens a submission for these bytes, whatever they are; answers its id. */
async function openFor(patches: Uint8Array, change = {}): Promise<string> {
  const manifest = await vendor.manifest(world.epochs.open, patches)
  const opened = await vendor.open({ ...manifest, ...change })
  const { submission }: { submission: string } = await opened.json()
  return submission
}

const honest = () => patchesOf(world.epochs.open)
const honestLines = () => new TextDecoder().decode(honest()).trimEnd().split('\n')

/** Blobs of a submission's uploads. */
const blobsOf = async (id: string) => (await env.BLOBS.list({ prefix: `uploads/${id}/` })).objects

describe('PUT /v1/submissions/{id}/patches', () => {
  test('takes identity and gzip, with and without a length, as the same bytes', async () => {
    const packed = await gzip(honest())
    const stream = (bytes: Uint8Array<ArrayBuffer>) => new Blob([bytes]).stream()
    const ways: RequestInit[] = [
      {},
      { body: packed, headers: { 'content-encoding': 'gzip' } },
      { body: stream(honest()) },
      { body: stream(packed), headers: { 'content-encoding': 'gzip' } },
    ]
    for (const init of ways) {
      const id = await openFor(honest())
      expect((await vendor.upload(id, honest(), init)).status).toBe(200)
      const [blob] = await blobsOf(id)
      const stored = await env.BLOBS.get(blob?.key ?? '')
      expect(await sha256Hex(new Uint8Array((await stored?.arrayBuffer()) ?? []))).toBe(
        await sha256Hex(honest()),
      )
    }
  })

  test('is the same upload when it is repeated', async () => {
    const id = await openFor(honest())
    const [first, second] = [await vendor.upload(id, honest()), await vendor.upload(id, honest())]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await blobsOf(id)).toHaveLength(1)
    expect(world.queue.filter(({ body }) => body.submission === id)).toHaveLength(4)
  })

  test('CL-190 lets one of two parallel uploads win, and keeps one blob', async () => {
    const id = await openFor(honest())
    const replies = await Promise.all([1, 2, 3].map(() => vendor.upload(id, honest())))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await blobsOf(id)).toHaveLength(1)
    const other = honest()
    other[20] = 65
    await expectProblem(await vendor.upload(id, other), 'patches-mismatch')
    expect(await blobsOf(id)).toHaveLength(1)
  })

  test('refuses every single flipped byte, leaves nothing behind, and can be repeated', async () => {
    const id = await openFor(honest())
    const path = `/v1/submissions/${id}/patches`
    for (const at of [0, 15, 40, 99, honest().length - 1]) {
      const flipped = honest()
      flipped[at] = (flipped[at] ?? 0) ^ 1
      const token = await vendor.token('PUT', path, await sha256Hex(honest()))
      const init = { body: flipped, headers: { authorization: `Bearer ${token}` } }
      await expectProblem(await vendor.upload(id, honest(), init), 'patches-mismatch')
      expect(await blobsOf(id)).toHaveLength(0)
    }
    expect((await vendor.upload(id, honest())).status).toBe(200)
  })

  test('refuses an upload that was cut off, and takes it when it is repeated', async () => {
    const id = await openFor(honest())
    const cut = honest().slice(0, 300)
    const half = (await gzip(honest())).slice(0, 60)
    await expectProblem(await vendor.upload(id, honest(), { body: cut }), 'body-incomplete')
    const packed = { body: half, headers: { 'content-encoding': 'gzip' } }
    await expectProblem(await vendor.upload(id, honest(), packed), 'body-invalid')
    await expectProblem(await vendor.upload(id, honest(), { body: '' }), 'body-incomplete')
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(cut)
      },
      pull(controller) {
        controller.error(new Error('gone'))
      },
    })
    await vendor.upload(id, honest(), { body: broken }).then(
      (reply) => expect(reply.status).toBeGreaterThanOrEqual(400),
      (error) => expect(error).toBeInstanceOf(Error),
    )
    expect(await blobsOf(id)).toHaveLength(0)
    expect((await vendor.upload(id, honest())).status).toBe(200)
  })

  test('U01 cuts a gzip bomb off while it streams, and a nested one is not unpacked twice', async () => {
    const id = await openFor(honest())
    const bomb = await bombOf(150)
    const nested = await gzip(await bombOf(5))
    const packed = (body: Uint8Array<ArrayBuffer>) => ({
      body,
      headers: { 'content-encoding': 'gzip' },
    })
    await expectProblem(await vendor.upload(id, honest(), packed(bomb)), 'body-too-large')
    await expectProblem(await vendor.upload(id, honest(), packed(nested)), 'body-too-large')
    expect(await blobsOf(id)).toHaveLength(0)
  })

  test('U02 CL-188 refuses a body over its cap, declared or not', async () => {
    const id = await openFor(honest())
    const longer = bytesOf([...honestLines(), ...honestLines()])
    await expectProblem(await vendor.upload(id, honest(), { body: longer }), 'body-too-large')
    const stream = new Blob([longer]).stream()
    await expectProblem(await vendor.upload(id, honest(), { body: stream }), 'body-too-large')
    const lies = { headers: { 'content-length': String(LIMITS.patchesBytes + 1) } }
    await expectProblem(await vendor.upload(id, honest(), lies), 'body-too-large')
    const manifest = await vendor.manifest(world.epochs.open, honest())
    const huge = { ...manifest, patches: { ...manifest.patches, bytes: LIMITS.patchesBytes + 1 } }
    await expectProblem(await vendor.open(huge), 'body-too-large')
  })

  const refusedLines: [string, (lines: string[]) => unknown[], RegExp][] = [
    ['U03 a line 100,000 arrays deep', (lines) => ['['.repeat(100_000), ...lines.slice(1)], /deep/],
    [
      'U03 one line of 50 MB',
      (lines) => [`{"instance_id":"${'a'.repeat(500_000)}"}`, ...lines.slice(1)],
      /line/,
    ],
    [
      'U04 a duplicate key',
      (lines) => [lines[0]?.replace('{', '{"module":"x",'), ...lines.slice(1)],
      /duplicate/,
    ],
    [
      'U04 a prototype key',
      (lines) => [lines[0]?.replace('{', '{"__proto__":1,'), ...lines.slice(1)],
      /forbidden/,
    ],
    [
      'U04 an unknown key',
      (lines) => [lines[0]?.replace('{', '{"verdict":"pass",'), ...lines.slice(1)],
      /unknown key/,
    ],
    [
      'U05 an id with a path',
      (lines) => [lines[0]?.replace('failmap__', '../'), ...lines.slice(1)],
      /instance_id/,
    ],
    [
      'U05 an id of 10 kB',
      (lines) => [`{"instance_id":"${'a'.repeat(10_000)}","module":"x"}`, ...lines.slice(1)],
      /instance_id/,
    ],
    [
      'U05 an unknown task',
      (lines) => [lines[0]?.replace('-1"', '-99"'), ...lines.slice(1)],
      /no task/,
    ],
    [
      'U05 CL-145 a duplicate task',
      (lines) => [lines[0], lines[0], ...lines.slice(2)],
      /line already/,
    ],
    [
      'U06 a lone surrogate',
      (lines) => [lines[0]?.replace('pass', '\\ud800'), ...lines.slice(1)],
      /surrogate/,
    ],
    [
      'U06 a number out of range',
      (lines) => [`{"instance_id":1e999,"module":null}`, ...lines.slice(1)],
      /range/,
    ],
    ['an empty line', (lines) => ['', ...lines], /value is missing/],
    ['another order', (lines) => [lines[1], lines[0], ...lines.slice(2)], /order/],
    ['a missing task', (lines) => lines.slice(1), /no line/],
    [
      'a module over its size',
      (lines) => [
        JSON.stringify({
          instance_id: world.epochs.open.instanceIds[0],
          module: 'x'.repeat(LIMITS.moduleBytes + 1),
        }),
        ...lines.slice(1),
      ],
      /module/,
    ],
    [
      'no answer without a reason',
      (lines) => [
        JSON.stringify({ instance_id: world.epochs.open.instanceIds[0], module: null }),
        ...lines.slice(1),
      ],
      /module null and a reason/,
    ],
  ]
  for (const [what, change, words] of refusedLines) {
    test(`refuses ${what}, by line number`, async () => {
      const patches = bytesOf(change(honestLines()))
      const id = await openFor(patches)
      const problem = await (await vendor.upload(id, patches)).json()
      const text = JSON.stringify(problem)
      expect(text).toMatch(/patches-invalid|body-invalid/)
      expect(text).toMatch(words)
      expect(text).not.toContain('aaaaaaaaaa')
      expect(await blobsOf(id)).toHaveLength(0)
      expect(await vendor.view(id)).toMatchObject({ state: 'open' })
    })
  }

  test('CL-145 lists the line numbers of several faults', async () => {
    const lines: unknown[] = honestLines()
    const patches = bytesOf([
      lines[0],
      JSON.parse(String(lines[0])),
      { module: 'x' },
      ...lines.slice(3),
    ])
    const id = await openFor(patches)
    const problem = await expectProblem(await vendor.upload(id, patches), 'patches-invalid')
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['line 2', 'line 3', 'end'])
  })

  test('U07 refuses archives and unknown codings', async () => {
    const id = await openFor(honest())
    const zip = { 'content-type': 'application/zip' }
    await expectProblem(await vendor.upload(id, honest(), { headers: zip }), 'media-unsupported')
    for (const coding of ['br', 'zstd', 'deflate', 'gzip, gzip', 'x']) {
      const headers = { 'content-encoding': coding }
      await expectProblem(await vendor.upload(id, honest(), { headers }), 'media-unsupported')
    }
  })

  test('U08 refuses bytes that the manifest does not state', async () => {
    const id = await openFor(honest())
    await expectProblem(
      await vendor.upload(
        id,
        patchesOf(world.epochs.open, () => FIXED),
      ),
      'patches-mismatch',
    )
    const manifest = await vendor.manifest(world.epochs.open, honest())
    const short = { ...manifest, patches: { ...manifest.patches, count: 23 } }
    await expectProblem(await vendor.open(short), 'patches-mismatch')
  })

  test('keeps the exact text: CRLF, quotes, other scripts, no final newline in a module', async () => {
    const odd = 'def f():\r\n\treturn "\u2028é漢😀\\u0000"'
    const id = await vendor.submit(world.epochs.open, () => odd)
    await world.drain()
    const request = world.sandbox.requests.findLast(({ submission }) => submission === id)
    expect(new Set(request?.patches.map(({ module }) => module))).toEqual(new Set([odd]))
  })
})
