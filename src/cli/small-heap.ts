import { setFlagsFromString } from 'node:v8'

/**
 * Asks V8 for a small heap. Most of what the client makes is garbage at once; left alone, V8 lets
 * it pile up to three times of what is in use, on a machine whose memory the model needs.
 */
export function preferSmallHeap(): void {
  setFlagsFromString('--optimize-for-size')
}
