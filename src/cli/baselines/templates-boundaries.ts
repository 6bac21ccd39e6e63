import type { SyntaxNode } from '@lezer/common'
import { inserted, replaced } from './edits.ts'
import { childrenOf, type Syntax } from './syntax.ts'
import type { Template } from './template.ts'
import { operatorOf } from './templates-operators.ts'

const ORDERINGS: ReadonlySet<string> = new Set(['<', '<=', '>', '>='])

/** Integers up or down by one; `True` for `False`. */
export const shiftConstant: Template = {
  name: 'constant',
  *edits({ node }, syntax) {
    const text = syntax.text(node)
    if (node.name === 'Number' && /^\d{1,9}$/.test(text)) {
      const value = Number(text)
      yield replaced(node, String(value + 1))
      // Below zero an index counts from the other end.
      const isIndex = node.parent?.name === 'MemberExpression'
      if (value > 0 || isIndex) yield replaced(node, String(value - 1))
    }
    if (node.name === 'Boolean') yield replaced(node, text === 'True' ? 'False' : 'True')
  },
}

/** One more or one less at a bound: of an ordering, a range, a slice or an index. */
export const shiftBoundary: Template = {
  name: 'boundary',
  *edits({ node }, syntax) {
    for (const bound of boundsOf(node, syntax)) {
      if (bound.name === 'Number' || bound.name === 'String') continue
      const shift = /\s[+-]\s1$/.exec(syntax.text(bound))
      if (shift) yield replaced({ from: bound.from + shift.index, to: bound.to }, '')
      yield inserted(bound.to, ' + 1')
      yield inserted(bound.to, ' - 1')
    }
  },
}

function boundsOf(node: SyntaxNode, syntax: Syntax): SyntaxNode[] {
  const children = childrenOf(node)
  if (node.name === 'BinaryExpression') {
    const operator = operatorOf(node, syntax)
    const right = children.at(-1)
    return operator && right && ORDERINGS.has(operator.text) ? [right] : []
  }
  if (node.name === 'MemberExpression' && children.some(({ name }) => name === '['))
    return children.slice(1).filter(({ name }) => !'[]:,'.includes(name))
  if (node.name === 'ArgList' && node.prevSibling && syntax.text(node.prevSibling) === 'range')
    return children.filter(({ name }) => !'(),'.includes(name))
  return []
}

/** A returned or assigned sum or difference, once more or once less. */
export const shiftResult: Template = {
  name: 'result-off-by-one',
  *edits({ node }, syntax) {
    if (node.name !== 'BinaryExpression') return
    const operator = operatorOf(node, syntax)
    if (operator?.text !== '+' && operator?.text !== '-') return
    if (node.parent?.name === 'BinaryExpression') return
    yield inserted(node.to, ' + 1')
    yield inserted(node.to, ' - 1')
  },
}
