import { findDomain } from '../../protocol/map.ts'
import type { Part } from '../../protocol/part.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { TaskEntry } from '../workspace/prompts.ts'

export type Selection = {
  /** Tasks of each category; null = all. */
  perCategory: number | null
  categories: readonly string[]
  domains: readonly string[]
  instances: readonly string[]
  part: Part | undefined
  limit: number | null
}

/**
 * The tasks of a subset, in the order in which they are asked.
 *
 * Round by round over the categories: wherever a run is interrupted, it has covered the map evenly.
 */
export function selectTasks(tasks: readonly TaskEntry[], selection: Selection): TaskEntry[] {
  requireKnown(tasks, selection)
  const byCategory = new Map<string, TaskEntry[]>()
  for (const task of tasks) {
    if (!isWanted(task, selection)) continue
    const own = byCategory.get(task.category)
    if (own === undefined) byCategory.set(task.category, [task])
    else own.push(task)
  }
  const most = Math.max(0, ...[...byCategory.values()].map((own) => own.length))
  const rounds = Math.min(most, selection.perCategory ?? most)
  const chosen: TaskEntry[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const own of byCategory.values()) {
      const task = own[round]
      if (task !== undefined) chosen.push(task)
    }
  }
  return selection.limit === null ? chosen : chosen.slice(0, selection.limit)
}

function isWanted(task: TaskEntry, selection: Selection): boolean {
  const { categories, domains, instances, part } = selection
  const isInPlace =
    (categories.length === 0 && domains.length === 0) ||
    categories.includes(task.category) ||
    domains.includes(task.domain)
  const isNamed = instances.length === 0 || instances.includes(task.instanceId)
  return isInPlace && isNamed && (part === undefined || task.part === part)
}

function requireKnown(tasks: readonly TaskEntry[], selection: Selection): void {
  const categories = new Set(tasks.map((task) => task.category))
  const domains = new Set(tasks.map((task) => task.domain))
  const ids = new Set(tasks.map((task) => task.instanceId))
  for (const slug of selection.categories) {
    if (!categories.has(slug)) throw unknown('category', slug, closest(slug, categories))
  }
  for (const slug of selection.domains) {
    const why = findDomain(slug) === undefined ? closest(slug, domains) : 'it has no tasks here'
    if (!domains.has(slug)) throw unknown('domain', slug, why)
  }
  for (const id of selection.instances) {
    if (!ids.has(id)) throw unknown('task', id, closest(id, ids))
  }
}

function unknown(what: string, name: string, why: string): Failure {
  return new Failure(EXIT.usage, `this epoch has no ${what} "${name}"`, { why })
}

/** The known name that shares most of its three-letter pieces with what was typed. */
function closest(name: string, known: ReadonlySet<string>): string {
  const pieces = (text: string) =>
    new Set(Array.from({ length: text.length }, (_, at) => text.slice(at, at + 3)))
  const wanted = pieces(name)
  let best = { score: -1, candidate: '' }
  for (const candidate of known) {
    const own = pieces(candidate)
    const shared = [...wanted].filter((piece) => own.has(piece)).length
    const score = shared / (wanted.size + own.size - shared)
    if (score > best.score) best = { score, candidate }
  }
  return best.candidate === '' ? 'the epoch is empty' : `did you mean ${best.candidate}?`
}
