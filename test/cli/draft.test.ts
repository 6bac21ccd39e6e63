import { describe, expect, test } from 'vitest'
import { Draft, type Said } from '../../src/cli/model/draft.ts'

const said = (
  number: number | null,
  content: string,
  finishReason: string | null = null,
): Said => ({
  number,
  content,
  reasoning: null,
  finishReason,
  callsTools: false,
})

/** Text and end of the completion that these documents make, each a list of pieces. */
function put(...documents: Said[][]): [string, string | null] {
  const draft = new Draft()
  for (const document of documents) draft.add(document)
  const { content, finishReason } = draft.finish(true)
  return [content, finishReason]
}

describe('Draft: numbers that a server gives its pieces', () => {
  test.each([
    ['none', [null, null, null]],
    ['always the same', [1, 1, 1]],
    ['those of the pieces, as TGI 1.4 counts tokens', [1, 2, 3]],
    ['those of the pieces, from 0', [0, 1, 2]],
    ['none at first', [null, 1, 1]],
    ['another one at first', [0, 1, 1]],
    ['none at the end', [1, 1, null]],
  ])('%s: all pieces are one text', (_, [first = null, second = null, third = null]) => {
    const pieces = [[said(first, 'a')], [said(second, 'b')], [said(third, 'c', 'stop')]]
    expect(put(...pieces)).toEqual(['abc', 'stop'])
  })

  test('an end under a number that said nothing is the end of what was said', () => {
    const pieces = [[said(0, '')], [said(1, 'a')], [said(1, 'b')], [said(0, '', 'stop')]]
    expect(put(...pieces)).toEqual(['ab', 'stop'])
  })

  test('of several in turns the first counts, with its own end', () => {
    const turns = [[said(1, 'x')], [said(0, 'a')], [said(1, 'y', 'length')], [said(0, 'b', 'stop')]]
    expect(put(...turns)).toEqual(['xy', 'length'])
  })

  test('of several one after the other the first counts', () => {
    const pieces = [
      [said(0, 'a')],
      [said(0, 'b', 'stop')],
      [said(1, 'x')],
      [said(1, 'y', 'length')],
    ]
    expect(put(...pieces)).toEqual(['ab', 'stop'])
  })

  test('of several in one document the lowest counts', () => {
    expect(put([said(1, 'x', 'length'), said(0, 'a', 'stop')])).toEqual(['a', 'stop'])
  })

  test('it has no end while only others have', () => {
    const draft = new Draft()
    for (const piece of [said(0, 'a'), said(1, 'x'), said(0, 'b'), said(1, '', 'stop')]) {
      draft.add([piece])
    }
    expect(draft.finishReason).toBeNull()
  })
})
