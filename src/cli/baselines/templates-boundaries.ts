import type { SyntaxNode } from '@lezer/common'
import { childrenOf } from './syntax.ts'
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
      yield [{ from: node.from, to: node.to, text: String(value + 1) }]
      if (value > 0) yield [{ from: node.from, to: node.to, text: String(value - 1) }]
      else
        yield [
          {
            from: node.from,
            to: node.to,
            text: node.parent?.name === 'MemberExpression' ? '-1' : '2',
          },
        ]
    }
    if (node.name === 'Boolean')
      yield [{ from: node.from, to: node.to, text: text === 'True' ? 'False' : 'True' }]
  },
}

/** One more or one less at a bound: of an ordering, a range, a slice or an index. */
export const shiftBoundary: Template = {
  name: 'boundary',
  *edits({ node }, syntax) {
    for (const bound of boundsOf(node)) {
      if (bound.name === 'Number' || bound.name === 'String') continue
      const text = syntax.text(bound)
      const plain = /\s[+-]\s1$/.exec(text)
      if (plain) yield [{ from: bound.from + plain.index, to: bound.to, text: '' }]
      yield [{ from: bound.to, to: bound.to, text: ' + 1' }]
      yield [{ from: bound.to, to: bound.to, text: ' - 1' }]
    }

    function boundsOf(node: SyntaxNode): SyntaxNode[] {
      const children = childrenOf(node)
      if (node.name === 'BinaryExpression') {
        const operator = operatorOf(node, syntax)
        const right = children.at(-1)
        return operator && right && ORDERINGS.has(operator.text) ? [right] : []
      }
      if (node.name === 'MemberExpression' && children.some((child) => child.name === '['))
        return children.slice(1).filter((child) => !'[]:,'.includes(child.name))
      if (node.name === 'ArgList' && node.prevSibling && syntax.text(node.prevSibling) === 'range')
        return children.filter((child) => !'(),'.includes(child.name))
      return []
    }
  },
}

/** A returned or assigned sum or difference, once more or once less. */
export const shiftResult: Template = {
  name: 'result-off-by-one',
  *edits({ node }, syntax) {
    if (node.name !== 'BinaryExpression') return
    const operator = operatorOf(node, syntax)
    if (operator?.text !== '+' && operator?.text !== '-') return
    if (node.parent?.name === 'BinaryExpression') return
    yield [{ from: node.to, to: node.to, text: ' + 1' }]
    yield [{ from: node.to, to: node.to, text: ' - 1' }]
  },
}
