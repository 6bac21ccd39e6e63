import { replaced } from './edits.ts'
import { isDefinition, type Located, parametersOf, type Syntax } from './syntax.ts'
import type { Template } from './template.ts'

/** Alternatives for one use; more would drown every other template. */
const MAX_ALTERNATIVES = 4

/** Another variable of the same function, parameters first. */
export const replaceVariable: Template = {
  name: 'variable',
  *edits(located, syntax) {
    const { node } = located
    if (node.name !== 'VariableName' || !isUse(located)) return
    const own = syntax.text(node)
    const names = localNames(located, syntax)
    if (!names.includes(own)) return
    for (const text of names.filter((name) => name !== own).slice(0, MAX_ALTERNATIVES))
      yield replaced(node, text)
  },
}

/** Another field of a record, another attribute of an object: one that the module uses itself. */
export const replaceField: Template = {
  name: 'field',
  *edits({ node }, syntax) {
    const isKey = node.name === 'String' && node.prevSibling?.name === '['
    const isAttribute = node.name === 'PropertyName' && node.parent?.nextSibling?.name !== 'ArgList'
    if (!isKey && !isAttribute) return
    const own = syntax.text(node)
    const used = syntax.nodes
      .filter(
        ({ node: other }) =>
          other.name === node.name &&
          (isKey ? other.prevSibling?.name === '[' : other.parent?.nextSibling?.name !== 'ArgList'),
      )
      .map(({ node: other }) => syntax.text(other))
    const others = [...new Set(used)].filter((text) => text !== own)
    for (const text of others.slice(0, MAX_ALTERNATIVES)) yield replaced(node, text)
  },
}

/** A name that is read: no target, no parameter, no keyword, no function that is called. */
function isUse({ node, path }: Located): boolean {
  const parent = node.parent
  if (path.length === 0 || !parent || isDefinition(parent)) return false
  if (parent.name === 'ParamList' || parent.name === 'TypeDef') return false
  if (node.nextSibling?.name === 'ArgList' || node.nextSibling?.name === 'AssignOp') return false
  return !(parent.name === 'ForStatement' && node.prevSibling?.name === 'for')
}

/** Parameters and assigned names of the function around a node. */
function localNames({ node }: Located, syntax: Syntax): string[] {
  let owner = node.parent
  while (owner && owner.name !== 'FunctionDefinition') owner = owner.parent
  if (!owner) return []
  const { from, to } = owner
  const targets = syntax.nodes
    .filter(({ node: inner }) => inner.from >= from && inner.to <= to)
    .filter(
      ({ node: inner }) =>
        inner.name === 'VariableName' &&
        (inner.nextSibling?.name === 'AssignOp' || inner.prevSibling?.name === 'for') &&
        inner.parent?.name !== 'ArgList' &&
        inner.parent?.name !== 'ParamList',
    )
    .map(({ node: inner }) => syntax.text(inner))
  return [...new Set([...parametersOf(syntax, owner), ...targets])]
}
