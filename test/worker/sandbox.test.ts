import { describe, expect, test } from 'vitest'
import { containerSandbox, type SandboxContainer } from '../../src/worker/sandbox/container.ts'
import { httpSandbox } from '../../src/worker/sandbox/http.ts'
import type { Sandbox } from '../../src/worker/sandbox/sandbox.ts'
import { sampleEpoch } from './epoch-sample.ts'
import { FakeSandbox } from './fake-sandbox.ts'
import { ROOT_KEYS, SANDBOX_TOKEN, SANDBOX_URL } from './secrets.ts'

const request = (category = 'ttl-off-by-one-unit') => ({
  protocol: 1 as const,
  corpus: 'c'.repeat(64),
  epoch: { id: 'open-1', key: ROOT_KEYS['open-1'] ?? '', practice: 2, sealed: 4 },
  category,
  counters: [0, 0, 0, 0, 0, 0],
  submission: `sub_${'0'.repeat(40)}`,
  patches: [],
})

/** A container namespace as far as the library uses it; `answer` is what a box replies. */
function namespaceOf(
  answer: (box: string, request: Request) => Promise<Response>,
  status = 'healthy',
) {
  const boxes = new Set<string>()
  const namespace = {
    idFromName: (name: string) => name,
    get: (box: string) => ({
      fetch: (sent: Request) => {
        boxes.add(box)
        return answer(box, sent)
      },
      getState: async () => ({ status }),
    }),
  }
  // The platform's own type has no public constructor, so its stand-in has to be named as one.
  return { boxes, namespace: namespace as unknown as DurableObjectNamespace<SandboxContainer> }
}

const boxed = (answer: (box: string, request: Request) => Promise<Response>, status?: string) => {
  const { boxes, namespace } = namespaceOf(answer, status)
  return { boxes, sandbox: containerSandbox(namespace, SANDBOX_TOKEN, () => 0) }
}

const honest = async () => {
  const fake = new FakeSandbox([await sampleEpoch('open-1', 'open')])
  return (_: string, sent: Request) => fake.fetch(sent)
}

describe('a sandbox in a container', () => {
  test('is spoken to like one at an address', async () => {
    const answer = await honest()
    const at: Sandbox = httpSandbox(
      SANDBOX_URL,
      SANDBOX_TOKEN,
      (input, init) => answer('', new Request(String(input), init)),
      () => 0,
    )
    const { sandbox } = boxed(answer)
    expect(await sandbox.judge(request())).toEqual(await at.judge(request()))
    expect(await sandbox.health()).toEqual(await at.health())
  })

  test('gets the same shard in the same box, and shards spread over boxes', async () => {
    const answer = await honest()
    const { boxes, sandbox } = boxed(answer)
    for (let round = 0; round < 3; round += 1) await sandbox.judge(request())
    expect(boxes.size).toBe(1)
    for (let index = 0; index < 60; index += 1) await sandbox.judge(request(`category-${index}`))
    expect(boxes.size).toBe(10)
  })

  test('that sleeps is not woken by a question for its health', async () => {
    const { boxes, sandbox } = boxed(await honest(), 'stopped')
    expect(await sandbox.health()).toEqual({ ok: true, value: null })
    expect(boxes.size).toBe(0)
  })

  test.each([
    ['Failed to start container: no capacity', 500, 'away'],
    ['Container suddenly disconnected, try again', 500, 'sandbox_failed'],
    ['There is no Container instance available at this time.', 503, 'away'],
    ['rate limited', 429, 'away'],
  ])('CL-193 that answers "%s" is %i: %s', async (text, status, kind) => {
    const { sandbox } = boxed(async () => new Response(text, { status }))
    expect(await sandbox.judge(request())).toMatchObject({ ok: false, error: { kind } })
  })
})

describe('a sandbox at an address', () => {
  test('that hangs is a fault after its time, not a wait without end', async () => {
    const hang: typeof fetch = async () => {
      throw new DOMException('timed out', 'TimeoutError')
    }
    const sandbox = httpSandbox(SANDBOX_URL, SANDBOX_TOKEN, hang, () => 0)
    expect(await sandbox.judge(request())).toMatchObject({
      error: { kind: 'sandbox_failed', why: 'timeout' },
    })
    expect(await sandbox.health()).toMatchObject({ ok: false })
  })

  test('that points elsewhere is not followed there: the request holds the root key', async () => {
    const modes: unknown[] = []
    const elsewhere: typeof fetch = async (_, init) => {
      modes.push(init?.redirect)
      return Response.redirect('https://elsewhere.test/shards', 307)
    }
    const sandbox = httpSandbox(SANDBOX_URL, SANDBOX_TOKEN, elsewhere, () => 0)
    expect(await sandbox.judge(request())).toMatchObject({ error: { kind: 'sandbox_failed' } })
    expect(await sandbox.health()).toMatchObject({ ok: false })
    expect(modes).toEqual(['manual', 'manual'])
  })

  test('whose reply says a number twice is not believed', async () => {
    const fake = new FakeSandbox([await sampleEpoch('open-1', 'open')])
    const twice: typeof fetch = async (input, init) => {
      const text = await (await fake.fetch(input, init)).text()
      return new Response(text.replace('"fixed":0', '"fixed":1,"fixed":0'))
    }
    const sandbox = httpSandbox(SANDBOX_URL, SANDBOX_TOKEN, twice, () => 0)
    expect(await sandbox.judge(request())).toMatchObject({ error: { kind: 'controls_failed' } })
  })

  test('whose health is not the documented one is no sandbox', async () => {
    const odd: typeof fetch = async () => Response.json({ status: 'ok', extra: 1 })
    const sandbox = httpSandbox(SANDBOX_URL, SANDBOX_TOKEN, odd, () => 0)
    expect(await sandbox.health()).toMatchObject({ ok: false, error: { why: 'health-invalid' } })
  })
})
