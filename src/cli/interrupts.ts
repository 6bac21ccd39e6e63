import { EXIT } from './exit.ts'

/**
 * The first Ctrl-C (or SIGTERM) asks the command to end well, the second ends it at once.
 *
 * At any moment the files are valid: what the journal holds was written whole.
 */
export function createInterrupts(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted)
    controller.abort()
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return controller.signal
}
