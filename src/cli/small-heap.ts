import { setFlagsFromString } from 'node:v8'

let isOurs = false

/**
 * Keeps the space for new objects as large as it is, a few MB. Nearly all of what the client makes
 * is garbage at once; left alone, V8 lets 16 MB of it pile up three times over, on a machine whose
 * memory the model needs. For a process that is the client's alone.
 */
export function keepHeapSmall(): void {
  isOurs = true
  setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Has V8 collect early everywhere: right for work that goes through whole files, and a third of all
 * computing where thousands of short answers are asked for.
 */
export function collectEarly(): void {
  if (isOurs) setFlagsFromString('--optimize-for-size')
}
