/** Long enough for answers that came together to be dealt with first. */
const PAUSE_MS = 1

/**
 * What `prepare` makes of each item, in order, the next `ahead` of it made before it is wanted.
 * A slot of a run that gets free then only has to send; the rest is done while the server thinks.
 */
export function readAhead<Item, Prepared>(
  items: readonly Item[],
  ahead: number,
  prepare: (item: Item) => Prepared,
): Iterator<Prepared, undefined> {
  const ready: Prepared[] = []
  let at = 0
  let isWaiting = false
  const prepareNext = () => {
    const item = items[at]
    if (item === undefined) return undefined
    const prepared = prepare(item)
    at += 1
    return prepared
  }
  // One at a time, so that answers that come meanwhile wait for one at most.
  const fill = () => {
    try {
      const prepared = ready.length < ahead ? prepareNext() : undefined
      isWaiting = prepared !== undefined
      if (prepared === undefined) return
      ready.push(prepared)
      setImmediate(fill)
    } catch {
      // Whoever wants this item meets the fault again.
      isWaiting = false
    }
  }
  return {
    next() {
      const value = ready.shift() ?? prepareNext()
      if (value === undefined) return { done: true, value: undefined }
      if (!isWaiting) {
        isWaiting = true
        setTimeout(fill, PAUSE_MS)
      }
      return { done: false, value }
    },
  }
}
