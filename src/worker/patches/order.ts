import { parseInstanceId, toInstanceId } from '../../protocol/ids.ts'

/** The tasks of an epoch in the order of its prompts: categories in their order, numbers from 1. */
export type TaskOrder = {
  total: number
  tasksPerCategory: number
  categories: readonly string[]
  /** Position of a task, or undefined when the epoch has no such task. */
  position(instanceId: string): number | undefined
  /** The task at a position below `total`. */
  at(position: number): string
}

/** Builds the order from the category slugs and the number of tasks that each of them has. */
export function taskOrder(categories: readonly string[], tasksPerCategory: number): TaskOrder {
  const rows = new Map(categories.map((slug, index) => [slug, index]))
  return {
    total: categories.length * tasksPerCategory,
    tasksPerCategory,
    categories,
    position(instanceId) {
      const parsed = parseInstanceId(instanceId)
      const row = parsed && rows.get(parsed.category)
      if (parsed === undefined || row === undefined) return undefined
      return parsed.number > tasksPerCategory
        ? undefined
        : row * tasksPerCategory + parsed.number - 1
    },
    at(position) {
      const category = categories[Math.floor(position / tasksPerCategory)] ?? ''
      return toInstanceId(category, (position % tasksPerCategory) + 1)
    },
  }
}
