import { describe, expect, test } from 'vitest'
import { splitEvents } from '../../src/cli/model/sse.ts'
import { AGENT_LIMITS, createTransport, proxyFor } from '../../src/cli/model/transport.ts'
import { httpSteps, section } from './client-field-cases.ts'
import { chat, type Step, startFakeModelServer, stream } from './fake-model-server.ts'
import { onEnd, runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'
import { isProbe } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

describe('failmap run: a generation that does not stop', () => {
  test('CL-106 a limit is always sent, the clock ends the call, and the next task starts', async () => {
    const token = 'data: {"choices":[{"delta":{"content":"again "}}]}\n\n'
    let calls = 0
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return stream('ready')
      calls += 1
      return calls === 1
        ? {
            type: 'text/event-stream',
            chunks: Array(2000).fill(token),
            chunkDelayMs: 10,
            hang: true,
          }
        : stream(RIGHT)
    })
    const ending = await fixture.run('--limit', '2', '-j', '1', '--timeout', '1')
    expect(ending.exit).toBe(0)
    expect(fixture.answers()).toMatchObject([
      { status: 'truncated', cause: 'time_limit', module: null },
      { status: 'ok' },
    ])
    expect(String(fixture.answers()[0]?.reply)).toContain('again again')
    for (const { body } of fixture.server.asked()) {
      expect(body).toHaveProperty('max_tokens', expect.any(Number))
    }
    expect(ending.out).toContain('raise --timeout')
  })

  test('a flood of text is cut off by size', async () => {
    const token = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x'.repeat(200_000) } }] })}\n\n`
    const fixture = await runFixture((seen) =>
      isProbe(seen.body)
        ? stream('ready')
        : { type: 'text/event-stream', chunks: Array(100).fill(token), hang: true },
    )
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ status: 'truncated', cause: 'size_limit' }])
    expect(String(fixture.answers()[0]?.reply).length).toBeLessThan(1_500_000)
  })
})

describe('createTransport: limits on time', () => {
  test('CL-108 the library has no limit of its own; one that had would have given up', async () => {
    expect(AGENT_LIMITS).toEqual({ headersTimeout: 0, bodyTimeout: 0 })
    const server = await startFakeModelServer(() => ({ ...chat('late'), delayMs: 2500 }))
    onEnd(() => server.close())
    const { Agent, request } = await import('undici')
    const impatient = new Agent({ headersTimeout: 1000 })
    await expect(request(server.origin, { dispatcher: impatient })).rejects.toThrow(
      /Headers Timeout/,
    )
    await impatient.destroy()
    const transport = createTransport({ env: {} })
    onEnd(() => transport.close())
    const response = await transport.request(server.origin, { method: 'GET' })
    expect(response.status).toBe(200)
    await response.discard()
  })
})

describe('splitEvents', () => {
  const collect = (chunks: Uint8Array[]) => {
    const { feed, end } = splitEvents()
    return [...chunks.flatMap(feed), ...end()].map((event) => event.data)
  }

  test('CL-110 the same events come out wherever the bytes are cut', () => {
    const bytes = Buffer.from(section('CL-110', 'sse'))
    const whole = collect([bytes])
    expect(whole[0]).toContain('café')
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(collect([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(whole)
    }
    expect(collect([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
  })

  test.each(['\r\n', '\r', '\n'])('line ends of %j are all the same, also cut in two', (end) => {
    const bytes = Buffer.from(
      ['data: {"a":1}', ': a comment', '', 'data: [DONE]', '', ''].join(end),
    )
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(collect([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(['{"a":1}', '[DONE]'])
    }
  })

  test('a last event without its blank line is delivered', () => {
    expect(collect([Buffer.from('data: {"a":1}')])).toEqual(['{"a":1}'])
  })
})

describe('failmap run: servers that do not stream', () => {
  test('CL-112 one JSON document is read as the answer and recorded once', async () => {
    const step = httpSteps('CL-112')[0]?.step
    const fixture = await runFixture(() => step)
    const ending = await fixture.run('--limit', '3')
    expect(ending.exit).toBe(0)
    expect(fixture.answers().map(({ reply }) => reply)).toEqual(['ok', 'ok', 'ok'])
    expect(fixture.journal().filter(({ fact }) => fact === 'stream_unsupported')).toHaveLength(1)
    for (const { body } of fixture.server.asked()) expect(body).toMatchObject({ stream: true })
  })

  test('CL-124 usage is asked for; where none comes it is null and never 0', async () => {
    const silent: Step = {
      type: 'text/event-stream',
      body: `data: ${JSON.stringify({ choices: [{ delta: { content: RIGHT }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    }
    const fixture = await runFixture((seen) => (isProbe(seen.body) ? stream('ready') : silent))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ status: 'ok', usage: null }])
    for (const { body } of fixture.server.asked()) {
      expect(body).toMatchObject({ stream_options: { include_usage: true } })
    }
  })

  test('CL-124 usage of an odd shape does not break the reader', async () => {
    const usage = { prompt_tokens: 'many', completion_tokens: null }
    const fixture = await runFixture(() => chat(RIGHT, { usage }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ status: 'ok', usage: null }])
  })
})

describe('proxyFor', () => {
  const env = { HTTP_PROXY: 'http://proxy.example:8080', http_proxy: 'http://proxy.example:8080' }

  test.each([
    'http://127.0.0.1:11434/v1',
    'http://localhost:11434/v1',
    'http://[::1]:8000/v1',
    'http://192.168.1.20:8000/v1',
    'http://10.0.0.3/v1',
    'http://gpu-box:8000/v1',
    'http://gpu.local:8000/v1',
  ])('CL-119 %s is asked directly', (url) => {
    expect(proxyFor(new URL(url), env)).toBeNull()
  })

  test('a public host goes through the proxy unless NO_PROXY names it', () => {
    const url = new URL('http://models.example/v1')
    expect(proxyFor(url, env)).toBe('http://proxy.example:8080')
    expect(proxyFor(url, { ...env, NO_PROXY: 'other.example, .example' })).toBeNull()
    expect(proxyFor(url, { ...env, no_proxy: '*' })).toBeNull()
    expect(proxyFor(url, { ...env, NO_PROXY: 'dels.example' })).toBe('http://proxy.example:8080')
  })

  test('CL-119 with a proxy in the environment a run still reaches the server at 127.0.0.1', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    fixture.terminal.env = { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' }
    expect((await fixture.run('--limit', '1')).exit).toBe(0)
  })
})
