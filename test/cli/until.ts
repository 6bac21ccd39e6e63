/** Waits until the condition holds; one that throws does not hold yet. */
export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    try {
      if (condition()) return
    } catch {
      // A line that is being written right now.
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('waited in vain')
}
