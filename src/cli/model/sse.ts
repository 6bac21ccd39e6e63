import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Characters of a line that has not ended, after which its end is not waited for. */
const LONGEST_LINE = 16 * 1024 * 1024

/** Puts the items of a body together, wherever the network cuts it. */
export type Splitter<Item> = {
  /** The items that this chunk completes. @throws Error at a line that is longer than any answer. */
  feed(chunk: Uint8Array): Item[]
  /** What the end of the body completes. */
  end(): Item[]
}

/**
 * Events of a `text/event-stream` body.
 *
 * A last event without its blank line is still delivered: some servers omit it.
 */
export function splitEvents(): Splitter<EventSourceMessage> {
  let ready: EventSourceMessage[] = []
  const parser = createParser({
    onEvent: (event) => ready.push(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLong()
    },
    maxBufferSize: LONGEST_LINE,
  })
  const decoder = new TextDecoder()
  const read = (text: string) => {
    ready = []
    parser.feed(text)
    return ready
  }
  return {
    feed: (chunk) => read(decoder.decode(chunk, { stream: true })),
    end: () => read(`${decoder.decode()}\n\n`),
  }
}

/** Lines of a body, split at LF only, without empty ones. */
export function splitLines(): Splitter<string> {
  const decoder = new TextDecoder()
  let rest = ''
  return {
    feed(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > LONGEST_LINE) throw tooLong()
      return lines.filter((line) => line.trim() !== '')
    },
    end() {
      rest += decoder.decode()
      return rest.trim() === '' ? [] : [rest]
    },
  }
}

const tooLong = () => new Error(`a line of more than ${LONGEST_LINE} characters`)
