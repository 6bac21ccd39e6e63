import { type Checker, CheckerFault, type CheckOutcome } from '../../src/cli/checker.ts'

/** A checker whose answer is a function of the module text, and which counts what it ran. */
export function fakeChecker(passed: (module: string) => number | 'fault', total: number) {
  const ran: string[] = []
  const checker: Checker = {
    isolation: null,
    check: async ({ module }) => {
      ran.push(module)
      // Later checks end first, so that nothing can lean on the order of answers.
      await new Promise((resolve) => setTimeout(resolve, 3 * (8 - (ran.length % 8))))
      const count = passed(module)
      if (count === 'fault') throw new CheckerFault('no sandbox')
      const outcome: CheckOutcome = {
        status: count === total ? 'passed' : 'failed',
        passed: count,
        total,
        failures: [],
      }
      return outcome
    },
    close: async () => undefined,
  }
  return { checker, ran }
}
