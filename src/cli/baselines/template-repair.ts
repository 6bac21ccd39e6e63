import type { Prompt } from '../../protocol/prompt.ts'
import { applyEdits, isWorthChecking } from './edits.ts'
import type { Fitness, Trial } from './search.ts'
import { templateCandidates } from './template.ts'

/** Partial repairs that are carried on to a second edit, for tasks with two faults. */
const CARRIED = 3

export type Repair = { module: string | null; notes: string[] }

/**
 * One edit by a template, or, where single edits pass more visible checks but not all, one more
 * edit on the best of them. null: nothing passed all visible checks within the budget.
 */
export async function repairByTemplate(
  prompt: Prompt,
  faulty: Fitness,
  trial: Trial,
): Promise<Repair> {
  const origins = new Map<string, string>()
  const better: { module: string; passed: number }[] = []
  const note = (module: string, { passed }: Fitness) => {
    if (passed > faulty.passed) better.push({ module, passed })
  }
  const first = await trial.firstPlausible(variants(prompt.module, prompt, origins), note)
  if (first !== null) return { module: first, notes: [`template=${origins.get(first)}`] }
  better.sort((left, right) => right.passed - left.passed)
  for (const { module } of better.slice(0, CARRIED)) {
    const inner = new Map<string, string>()
    const second = await trial.firstPlausible(variants(module, prompt, inner), () => undefined)
    if (second !== null)
      return {
        module: second,
        notes: [`template=${origins.get(module)}`, `template=${inner.get(second)}`],
      }
  }
  return { module: null, notes: [] }
}

function* variants(
  module: string,
  { entry_point: entryPoint }: Prompt,
  origins: Map<string, string>,
): Generator<string> {
  for (const { origin, edits } of templateCandidates(module, entryPoint)) {
    const text = applyEdits(module, edits)
    if (text === module || origins.has(text) || !isWorthChecking(text)) continue
    origins.set(text, origin)
    yield text
  }
}
