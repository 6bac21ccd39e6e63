/** A call to a Durable Object failed because of a deploy or a move, not because of what it does. */
function isReset(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const retryable = 'retryable' in error && error.retryable === true
  return retryable || /code was updated|reset|network connection lost/i.test(error.message)
}

/**
 * Calls a Durable Object by name, with a fresh stub when a deploy reset it (a stub that threw stays
 * broken). Every method called this way keeps its state in storage and is safe to call twice.
 */
export async function callByName<S, R>(
  namespace: { getByName(name: string): S },
  name: string,
  call: (stub: S) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(namespace.getByName(name))
    } catch (error) {
      if (attempt >= 3 || !isReset(error)) throw error
    }
  }
}
