import { createParser, type EventSourceMessage } from 'eventsource-parser'

/**
 * Events of a `text/event-stream` body, those of one read together.
 *
 * Bytes are decoded and lines are put together across reads, so it does not matter where the
 * network cuts. A last event without its blank line is still delivered: some servers omit it.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<EventSourceMessage[]> {
  let ready: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => ready.push(event) })
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    if (ready.length === 0) continue
    const events = ready
    ready = []
    yield events
  }
  parser.feed(`${decoder.decode()}\n\n`)
  if (ready.length > 0) yield ready
}

/** Lines of a body, split at LF only, without empty ones, those of one read together. */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    const filled = lines.filter((line) => line.trim() !== '')
    if (filled.length > 0) yield filled
  }
  rest += decoder.decode()
  if (rest.trim() !== '') yield [rest]
}
