import { describe, expect, test } from 'vitest'
import { Chunks } from '../../src/cli/model/chunks.ts'
import { stream } from './fake-model-server.ts'
import { runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'

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
