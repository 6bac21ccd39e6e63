import type { Prompt } from '../../protocol/prompt.ts'
import { type Checker, CheckerFault, type CheckOutcome } from '../checker.ts'

/** Checks that run side by side for one task; the result does not depend on it. */
const WINDOW = 8

/** Candidates of one task that may take the sandbox down before the search is given up. */
const MAX_FAULTS = 5

/** What a module is worth to a search: the visible checks that it passes, -1 if it does not run. */
export type Fitness = { passed: number; total: number; isPlausible: boolean }

/**
 * The checks of one task under a budget. The same text is run once; the budget counts runs, so
 * that a search takes the same steps on every machine.
 */
export class Trial {
  readonly #prompt: Prompt
  readonly #checker: Checker
  readonly #known = new Map<string, Promise<Fitness>>()
  readonly #maxChecks: number
  #faults = 0

  constructor(prompt: Prompt, checker: Checker, maxChecks: number) {
    this.#prompt = prompt
    this.#checker = checker
    this.#maxChecks = maxChecks
  }

  get checks(): number {
    return this.#known.size
  }

  get isSpent(): boolean {
    return this.#known.size >= this.#maxChecks
  }

  /** null: the budget is used up and this text was never run. */
  assess(module: string): Promise<Fitness> | null {
    const known = this.#known.get(module)
    if (known) return known
    if (this.isSpent) return null
    const fitness = this.#run(module)
    // A fault ends the search at the first await; the runs beside it must not end the process.
    fitness.catch(() => undefined)
    this.#known.set(module, fitness)
    return fitness
  }

  /** The first plausible text in the order given, however the checks overlap in time. */
  async firstPlausible(
    modules: Iterable<string>,
    onFitness: (module: string, fitness: Fitness) => void,
  ): Promise<string | null> {
    let batch: { module: string; fitness: Promise<Fitness> }[] = []
    const settle = async (): Promise<string | null> => {
      for (const { module, fitness } of batch) {
        const found = await fitness
        onFitness(module, found)
        if (found.isPlausible) return module
      }
      batch = []
      return null
    }
    for (const module of modules) {
      const fitness = this.assess(module)
      if (fitness === null) break
      batch.push({ module, fitness })
      if (batch.length < WINDOW) continue
      const found = await settle()
      if (found !== null) return found
    }
    return settle()
  }

  async #run(module: string): Promise<Fitness> {
    const { entry_point: entryPoint, visible } = this.#prompt
    try {
      return toFitness(await this.#checker.check({ module, entryPoint, visible }))
    } catch (error) {
      // A candidate that takes the sandbox down is not the patch that is sought. Where the faulty
      // module itself does, or many do, the sandbox is broken, and that is no result of a search.
      const isCandidate = module !== this.#prompt.module
      if (error instanceof CheckerFault && isCandidate && ++this.#faults <= MAX_FAULTS)
        return { passed: -1, total: visible.length, isPlausible: false }
      throw error
    }
  }
}

function toFitness({ status, passed, total }: CheckOutcome): Fitness {
  const runs = status === 'passed' || status === 'failed'
  return { passed: runs ? passed : -1, total, isPlausible: status === 'passed' }
}
