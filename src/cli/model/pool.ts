/**
 * Works through `items` with `slots` workers. The first throw stops the rest and is thrown on.
 *
 * @param stop - fired by the pool at the first throw, so that calls under way end too.
 */
export async function runPool<Item>(
  items: Iterator<Item>,
  slots: number,
  stop: AbortController,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let failure: { thrown: unknown } | null = null
  const worker = async () => {
    while (!stop.signal.aborted) {
      try {
        const next = items.next()
        if (next.done) return
        await work(next.value)
      } catch (thrown) {
        failure ??= { thrown }
        stop.abort()
      }
    }
  }
  await Promise.all(Array.from({ length: slots }, worker))
  rethrow(failure)
}

function rethrow(failure: { thrown: unknown } | null): void {
  if (failure !== null) throw failure.thrown
}
