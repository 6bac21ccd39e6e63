import { createParser } from 'eventsource-parser'
import { textDecoder } from './text-decoder.ts'

/** Characters of a line that has not ended, after which its end is not waited for. */
const LONGEST_LINE = 16 * 1024 * 1024

/** Puts the items of a body together, wherever the network cuts it. */
export type Splitter<Item> = {
  /** The items that this chunk completes. @throws Error at a line that is longer than any answer. */
  feed(chunk: Uint8Array): Item[]
  /** What the end of the body completes. */
  end(): Item[]
}

export type StreamEvent = { event?: string | undefined; data: string }

/**
 * Events of a `text/event-stream` body.
 *
 * A last event without its blank line is still delivered: some servers omit it.
 */
export function splitEvents(): Splitter<StreamEvent> {
  const decoder = textDecoder()
  let parse: ((text: string) => StreamEvent[]) | null = null
  const read = (text: string) => {
    const plain = parse === null ? readPlain(text) : null
    if (plain !== null) return plain
    parse ??= eventParser()
    return parse(text)
  }
  return {
    feed: (chunk) => read(decoder.decode(chunk)),
    end: () => {
      const rest = decoder.end()
      return parse === null && rest === '' ? [] : read(`${rest}\n\n`)
    },
  }
}

const DATA = 'data: '

/**
 * Whole events of the form that nearly every server sends, one `data: …` and a blank line each; null
 * for a text with anything else in it. For short answers a parser costs more than all its parsing.
 */
function readPlain(text: string): StreamEvent[] | null {
  if (!text.endsWith('\n\n') || text.includes('\r')) return null
  const events: StreamEvent[] = []
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from)
    if (!text.startsWith(DATA, from) || !text.startsWith('\n', end + 1)) return null
    events.push({ data: text.slice(from + DATA.length, end) })
    from = end + 2
  }
  return events
}

/** Every other form, and events in pieces. */
function eventParser(): (text: string) => StreamEvent[] {
  let ready: StreamEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => ready.push({ event, data }),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLong()
    },
    maxBufferSize: LONGEST_LINE,
  })
  return (text) => {
    ready = []
    parser.feed(text)
    return ready
  }
}

/** Lines of a body, split at LF only, without empty ones. */
export function splitLines(): Splitter<string> {
  const decoder = textDecoder()
  let rest = ''
  return {
    feed(chunk) {
      const text = decoder.decode(chunk)
      // Joined only: to look through what waits with each piece takes the square of its length.
      const lines = text.includes('\n') ? (rest + text).split('\n') : [rest + text]
      rest = lines.pop() ?? ''
      if (rest.length > LONGEST_LINE) throw tooLong()
      return lines.filter((line) => line.trim() !== '')
    },
    end() {
      rest += decoder.end()
      return rest.trim() === '' ? [] : [rest]
    },
  }
}

const tooLong = () => new Error(`a line of more than ${LONGEST_LINE} characters`)
