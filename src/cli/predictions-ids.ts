import { toInstanceId } from '../protocol/ids.ts'

const ALIAS = /^(?:failmap|failuremap)(?:__|\/|_)([a-z0-9-]+)(?:-|\/|_)([1-9][0-9]*)$/i

/**
 * The instance id that other harnesses write as `FailureMap/<category>/<n>`, as
 * `FailureMap__<category>-<n>`, or with `_` for every separator in a folder name. Text that is
 * none of these comes back as it is.
 */
export function readInstanceId(id: string): string {
  const [, category, number] = ALIAS.exec(id.trim()) ?? []
  return category === undefined ? id.trim() : toInstanceId(category.toLowerCase(), Number(number))
}
