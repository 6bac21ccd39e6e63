import type { Prompt } from '../../protocol/prompt.ts'
import type { Checker } from '../checker.ts'
import { repairByGenetics } from './genetic-repair.ts'
import { type Fitness, Trial } from './search.ts'
import { type Repair, repairByTemplate } from './template-repair.ts'

export const baselineNames = ['unchanged', 'template', 'genetic'] as const
export type BaselineName = (typeof baselineNames)[number]

export type RepairOptions = {
  /** Modules that a method may run for one task; the same budget for every method. */
  maxChecks?: number
}

export type RepairResult = {
  /** Full module text. The faulty module itself where the method found no patch. */
  module: string
  notes: string[]
}

/** Most template repairs are found within the first hundred candidates. */
export const DEFAULT_MAX_CHECKS = 160

export function isBaselineName(name: string): name is BaselineName {
  return baselineNames.some((known) => known === name)
}

/** Whether the method runs checks, and so needs the sandbox on this machine. */
export function needsChecker(name: BaselineName): boolean {
  return name !== 'unchanged'
}

/**
 * Repairs one task from its prompt alone. Deterministic: the same prompt and budget give the same
 * module, whatever runs beside it (as long as no check ends by its time limit).
 *
 * The searches are guided by failing visible checks. Where the faulty module passes all of them
 * there is nothing to be guided by, and the module is returned as it is; the same goes for a
 * search that finds nothing within its budget. Both are told in the notes.
 */
export async function repair(
  name: BaselineName,
  prompt: Prompt,
  checker: Checker,
  { maxChecks = DEFAULT_MAX_CHECKS }: RepairOptions = {},
): Promise<RepairResult> {
  if (name === 'unchanged') return { module: prompt.module, notes: ['baseline=unchanged'] }
  const trial = new Trial(prompt, checker, maxChecks)
  const faulty = await trial.assess(prompt.module)
  if (!faulty || faulty.isPlausible)
    return { module: prompt.module, notes: ['visible_checks_pass_already', 'unchanged'] }
  const found = await searchWith(name, prompt, faulty, trial)
  const notes = [...found.notes, `checks=${trial.checks}`]
  if (found.module !== null) return { module: found.module, notes }
  return { module: prompt.module, notes: ['no_plausible_patch', 'unchanged', ...notes] }
}

function searchWith(
  name: Exclude<BaselineName, 'unchanged'>,
  prompt: Prompt,
  faulty: Fitness,
  trial: Trial,
): Promise<Repair> {
  switch (name) {
    case 'template':
      return repairByTemplate(prompt, faulty, trial)
    case 'genetic':
      return repairByGenetics(prompt, faulty, trial)
  }
}
