import { callSandbox } from './call.ts'
import type { Sandbox } from './sandbox.ts'

/** A sandbox process at an address: development and self-hosting. */
export function httpSandbox(
  address: string,
  token: string,
  fetcher: typeof fetch,
  now: () => number,
): Sandbox {
  return callSandbox((path, init) => fetcher(new URL(path, address), init), token, now)
}
