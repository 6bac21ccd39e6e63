import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Chunks } from '../../src/cli/model/chunks.ts'
import { splitEvents, splitLines } from '../../src/cli/model/sse.ts'
import { chat, type Step, stream } from './fake-model-server.ts'
import { runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'
import { isProbe } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``
const SSE = 'text/event-stream'

/** The pieces of a text, each of so many bytes. */
function cutEvery(bytes: number, text: string): Buffer[] {
  const all = Buffer.from(text)
  const count = Math.ceil(all.length / bytes)
  return Array.from({ length: count }, (_, at) => all.subarray(at * bytes, (at + 1) * bytes))
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
const token = (content: string): string => event({ choices: [{ index: 0, delta: { content } }] })

describe('failmap run: an answer that comes piece by piece', () => {
  test('every token is kept once', async () => {
    const tokens = [...RIGHT.matchAll(/.{1,4}/gs)].map(([text]) => token(text))
    const end = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    const chunks = [...tokens, end, 'data: [DONE]\n\n']
    const fixture = await runFixture(() => ({ type: SSE, chunks, chunkDelayMs: 2 }))
    await fixture.run('--limit', '2', '-j', '2')
    expect(fixture.answers().map(({ reply }) => reply)).toEqual([RIGHT, RIGHT])
  })

  test.each([1, 2, 3, 7, 64])('cut into packets of %i bytes it is the same', async (bytes) => {
    const text = `${RIGHT}\n# Größe 🐍 日本`
    const chunks = cutEvery(bytes, String(stream(text).body))
    const fixture = await runFixture(() => ({ type: SSE, chunks, chunkDelayMs: 0 }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: text, status: 'ok' }])
  })

  test("Ollama's lines too", async () => {
    const lines = [...RIGHT.matchAll(/.{1,4}/gs)].map(([content]) => ({
      model: 'coder:7b',
      message: { role: 'assistant', content },
      done: false,
    }))
    const all = [...lines, { model: 'coder:7b', message: {}, done: true, done_reason: 'stop' }]
    const chunks = cutEvery(11, all.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const fixture = await runFixture(() => ({ type: 'application/x-ndjson', chunks }))
    await fixture.run('--model', 'ollama/coder:7b', '--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, status: 'ok' }])
  })
})

describe('failmap run: streams of servers with ways of their own', () => {
  const said = token(RIGHT)
  const end = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  const usage = { prompt_tokens: 7, completion_tokens: 3 }
  const done = 'data: [DONE]\n\n'
  const counted = { usage: { prompt_tokens: 7, completion_tokens: 3 } }

  test.each([
    ['data fields without data', `data:\n\n${said}data: \n\n${end}${done}`, {}],
    ['named events that are no answer', `event: ping\ndata: {"type":"ping"}\n\n${said}${end}`, {}],
    ['token counts without choices', `${said}${end}${event({ usage })}${done}`, counted],
    ['choices that are null', `${said}${end}${event({ choices: null, usage })}${done}`, counted],
    ['a torn piece behind the end', `${said}${end}data: {"choi`, {}],
  ])('%s', async (_what, body, more) => {
    const fixture = await runFixture(() => ({ type: SSE, body }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, status: 'ok', ...more }])
  })

  test('of several choices in turns the first alone is kept, with its own end', async () => {
    const piece = (index: number, content: string) => ({ index, delta: { content } })
    const ended = (index: number, finish_reason: string) => ({ index, delta: {}, finish_reason })
    const [half = '', rest = ''] = [RIGHT.slice(0, 20), RIGHT.slice(20)]
    const body = [
      [piece(1, 'No'), piece(0, half)],
      [piece(1, ' idea'), piece(0, rest)],
      [ended(1, 'length')],
      [piece(2, '```python\nwidth = 0\n```')],
      [ended(0, 'stop')],
      [ended(2, 'content_filter')],
    ].map((choices) => event({ choices }))
    const fixture = await runFixture(() => ({ type: SSE, body: body.join('') + done }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, status: 'ok', finish_reason: 'stop' }])
  })

  test('an only choice is kept whatever its number', async () => {
    const numbered = (index: number) => ({
      index,
      delta: { content: RIGHT },
      finish_reason: 'stop',
    })
    const body = event({ choices: [numbered(1)] }) + done
    const fixture = await runFixture(() => ({ type: SSE, body }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, status: 'ok', finish_reason: 'stop' }])
  })

  test.each([
    [
      'another piece',
      event({ choices: [{ delta: { content: 'more' }, finish_reason: 'length' }] }),
    ],
    ['an error', event({ error: { message: 'gone' } })],
    ['what is no JSON', 'data: bye\n\n'],
  ])('%s behind the end counts for nothing in whichever packet', async (_, more) => {
    const whole = `${said}${end}${done}`
    for (const chunks of [[whole + more], [whole, more]]) {
      const fixture = await runFixture(() => ({ type: SSE, chunks }))
      await fixture.run('--limit', '1')
      expect(fixture.answers()).toMatchObject([
        { reply: RIGHT, status: 'ok', finish_reason: 'stop' },
      ])
    }
  })

  test('of several choices in one document choice 0 is kept, wherever it stands', async () => {
    const choice = (index: number, content: string) => ({ index, message: { content } })
    const choices = [choice(1, 'No idea'), { ...choice(0, RIGHT), finish_reason: 'stop' }]
    const fixture = await runFixture(() => ({ body: JSON.stringify({ choices }) }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, status: 'ok' }])
  })

  test.each(['text/plain', 'application/json'])('a stream that is called %s', async (type) => {
    const fixture = await runFixture(() => ({ ...stream(RIGHT), type }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, status: 'ok' }])
  })

  test('a connection that breaks after the model was done loses nothing', async () => {
    const fixture = await runFixture(() => ({ type: SSE, chunks: [said, end], destroy: true }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, finish_reason: 'stop', attempts: 1 }])
  })

  test('a stream that never ends is left when the model was done', async () => {
    const fixture = await runFixture((seen) =>
      isProbe(seen.body) ? stream('ready') : { type: SSE, chunks: [said, end], hang: true },
    )
    await fixture.run('--limit', '1', '--timeout', '2')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, finish_reason: 'stop' }])
  })

  test('one broken off in the middle is asked for again', async () => {
    let calls = 0
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return stream('ready')
      calls += 1
      return calls === 1 ? { type: SSE, chunks: [said], destroy: true } : stream(RIGHT)
    })
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, attempts: 2 }])
  })

  test('a long line in many packets is put together once', () => {
    const lines = splitLines()
    const chunk = Buffer.alloc(1 << 10, 'x')
    // Searched anew with every packet, these 8 MB would be 32 GB.
    for (let kilobytes = 0; kilobytes < 8 << 10; kilobytes += 1)
      expect(lines.feed(chunk)).toEqual([])
    expect(lines.feed(Buffer.from('\n')).map(({ length }) => length)).toEqual([8 << 20])
  })

  test('a line without an end is not waited for', () => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    const endless = (splitter: { feed: (chunk: Uint8Array) => unknown }) => () => {
      for (let megabytes = 0; megabytes < 18; megabytes += 1) splitter.feed(chunk)
    }
    expect(endless(splitEvents())).toThrow(/a line of more than/)
    expect(endless(splitLines())).toThrow(/a line of more than/)
  })
})

describe('failmap run: one JSON document', () => {
  test('with a byte-order mark', async () => {
    const fixture = await runFixture(() => ({ body: `\ufeff${chat(RIGHT).body}` }))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, status: 'ok' }])
  })

  test('of more than a million characters is cut off by size, as a stream is', async () => {
    const flood = `\`\`\`python\n${'x = 1\n'.repeat(200_000)}`
    const fixture = await runFixture((seen) => chat(isProbe(seen.body) ? 'ready' : flood))
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ status: 'truncated', cause: 'size_limit' }])
  })
})

describe('Chunks.take', () => {
  test('what comes after an empty hand is taken once', () => {
    const chunks = new Chunks({ pause: () => {}, resume: () => {}, abort: () => {} })
    const before = chunks.take()
    chunks.push(Uint8Array.of(1))
    expect(before).toEqual([])
    expect(chunks.take()).toEqual([Uint8Array.of(1)])
    expect(chunks.take()).toEqual([])
    chunks.end()
    expect(chunks.take()).toBeNull()
  })
})

describe('failmap run: a gateway that codes all that passes', () => {
  const coders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync }

  test.each(['gzip', 'deflate', 'br'] as const)('%s, stream and document', async (coding) => {
    const headers = { 'content-encoding': coding }
    const coded = (step: Step): Step => ({
      ...step,
      headers,
      body: coders[coding](step.body ?? ''),
    })
    let calls = 0
    const fixture = await runFixture(() => coded(calls++ % 2 === 0 ? stream(RIGHT) : chat(RIGHT)))
    await fixture.run('--limit', '2', '-j', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT }, { reply: RIGHT }])
  })

  test('a coded body that is cut off is asked for again', async () => {
    const whole = gzipSync(String(stream(RIGHT).body))
    const headers = { 'content-encoding': 'gzip' }
    let calls = 0
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return stream('ready')
      calls += 1
      return calls === 1 ? { type: SSE, headers, body: whole.subarray(0, 60) } : stream(RIGHT)
    })
    await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ reply: RIGHT, attempts: 2 }])
  })
})
