import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** Puts the items of a body together, wherever the network cuts it. */
export type Splitter<Item> = {
  /** The items that this chunk completes. */
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
  const parser = createParser({ onEvent: (event) => ready.push(event) })
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
      return lines.filter((line) => line.trim() !== '')
    },
    end() {
      rest += decoder.decode()
      return rest.trim() === '' ? [] : [rest]
    },
  }
}
