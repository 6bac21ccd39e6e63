import { isDefinition, type Located, type Syntax } from './syntax.ts'

/**
 * Where a fault can be seen from the entry point: the top-level definitions that it reaches by
 * name. The visible checks tell only which of them fail, not which lines they ran, so this is as
 * far as fault localisation goes without instrumenting the module.
 */
export function reachableFrom(syntax: Syntax, entryPoint: string): ReadonlySet<string> {
  const uses = new Map<string, Set<string>>()
  for (const { node, path } of syntax.nodes) {
    const [owner] = path
    if (owner === undefined) continue
    if (node.name === 'VariableName' || node.name === 'PropertyName')
      uses.set(owner, (uses.get(owner) ?? new Set()).add(syntax.text(node)))
  }
  const reached = new Set([entryPoint])
  for (const name of reached)
    for (const used of uses.get(name) ?? []) if (isTopLevel(syntax, used)) reached.add(used)
  return reached
}

/** Nodes inside the reached definitions first, the rest after; source order within both. */
export function focusFirst(nodes: readonly Located[], reached: ReadonlySet<string>): Located[] {
  const isInFocus = ({ path }: Located) => path[0] !== undefined && reached.has(path[0])
  return [...nodes.filter(isInFocus), ...nodes.filter((located) => !isInFocus(located))]
}

function isTopLevel(syntax: Syntax, name: string): boolean {
  return syntax.nodes.some(({ node, path }) => {
    if (path.length > 0) return false
    if (isDefinition(node)) {
      const own = node.getChild('VariableName')
      return own !== null && syntax.text(own) === name
    }
    return false
  })
}
