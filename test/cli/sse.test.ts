import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Splitter, splitEvents, splitLines } from '../../src/cli/model/sse.ts'

const text = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('data: {"a":"é🙂"}\n\n', 'data: [DONE]\n\n') },
      fc.constantFrom('\n', '\r\n', '\r', 'data:', 'data: x\n', ': alive\n\n', 'event: ping\n'),
      fc.constantFrom('\ufeff', '\u2028', 'data', ' ', 'id: 7\n', '{}\n', 'retry: 5\n\n'),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

/** Bytes in chunks, cut at lines as servers do, or anywhere. */
const body = fc
  .tuple(text, fc.boolean(), fc.array(fc.nat({ max: 200 })), fc.boolean())
  .map(([all, cutsLines, cuts, isTorn]) => {
    const bytes = Buffer.from(isTorn ? `${all}\n` : all)
    if (isTorn && bytes.length > 3) bytes[bytes.length >> 1] = 0xff
    const ends = cutsLines
      ? [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)
      : cuts.filter((at) => at <= bytes.length).sort((a, b) => a - b)
    return [...ends, bytes.length].map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
  })

function all<Item>(splitter: Splitter<Item>, chunks: readonly Uint8Array[]): Item[] {
  return [...chunks.flatMap((chunk) => splitter.feed(chunk)), ...splitter.end()]
}

/** Two marks, the first of them in pieces: what stands behind the second is no event. */
const TWO_MARKS = [Buffer.from([0xef]), Buffer.from('\xbb\xbf\xef\xbb\xbfdata: a\n\n', 'latin1')]

describe('splitEvents', () => {
  test('gives the events that a parser of the whole body gives, however it is cut', () => {
    fc.assert(
      fc.property(body, (chunks) => {
        const expected: { event?: string | undefined; data: string }[] = []
        const parser = createParser({
          onEvent: ({ event, data }) => expected.push({ event, data }),
        })
        parser.feed(`${new TextDecoder().decode(Buffer.concat(chunks))}\n\n`)
        expect(all(splitEvents(), chunks)).toEqual(expected)
      }),
      { numRuns: 3000, examples: [[TWO_MARKS]] },
    )
  })
})

describe('splitLines', () => {
  test('gives the lines of the whole body, however it is cut', () => {
    fc.assert(
      fc.property(body, (chunks) => {
        const lines = new TextDecoder().decode(Buffer.concat(chunks)).split('\n')
        const expected = lines.filter((line) => line.trim() !== '')
        expect(all(splitLines(), chunks)).toEqual(expected)
      }),
      { numRuns: 1000, examples: [[TWO_MARKS]] },
    )
  })
})
