import type { WriteStream } from 'node:tty'
import { codeOf } from './failure.ts'
import type { Sink } from './io.ts'

const DEFAULT_COLUMNS = 80

/**
 * A stream as a sink. A reader that went away (`| head`) is no error: the rest is dropped. Any other
 * fault is told to `onFault`; the rest is dropped too.
 */
export function toSink(stream: WriteStream, onFault: (error: Error) => void = () => {}): Sink {
  let isGone = false
  stream.on('error', (error) => {
    isGone = true
    if (codeOf(error) !== 'EPIPE' && codeOf(error) !== 'EIO') onFault(error)
  })
  return {
    write(text) {
      if (!isGone) stream.write(text)
    },
    get isTerminal() {
      return stream.isTTY === true
    },
    get columns() {
      return stream.columns ?? DEFAULT_COLUMNS
    },
  }
}
