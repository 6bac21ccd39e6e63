import type { SyntaxNode } from '@lezer/common'
import { type Edit, replaced } from './edits.ts'
import { childrenOf, type Syntax } from './syntax.ts'
import type { Template } from './template.ts'

/** Comparisons, the likeliest replacement first: the same direction with or without the bound. */
const COMPARISONS: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>', '>=', '!='],
  '<=': ['<', '>=', '>', '=='],
  '>': ['>=', '<', '<=', '!='],
  '>=': ['>', '<=', '<', '=='],
  '==': ['!=', '>=', '<='],
  '!=': ['==', '<', '>'],
  is: ['is not', '=='],
  'is not': ['is', '!='],
  in: ['not in'],
  'not in': ['in'],
}

const ARITHMETIC: Readonly<Record<string, readonly string[]>> = {
  '+': ['-'],
  '-': ['+'],
  '*': ['//', '+'],
  '/': ['//', '*'],
  '//': ['/', '%', '*'],
  '%': ['//'],
  '**': ['*'],
}

const UPDATES: Readonly<Record<string, readonly string[]>> = {
  '+=': ['-=', '='],
  '-=': ['+=', '='],
  '*=': ['//=', '+='],
  '//=': ['%=', '*='],
  '|=': ['&=', '-='],
  '&=': ['|='],
}

/** Another comparison between the same operands. */
export const replaceComparison: Template = {
  name: 'comparison',
  *edits({ node }, syntax) {
    const operator = node.name === 'BinaryExpression' ? operatorOf(node, syntax) : null
    if (operator) for (const text of COMPARISONS[operator.text] ?? []) yield [{ ...operator, text }]
  },
}

/** `+` for `-`, `//` for `/`, and the same for updates. */
export const replaceArithmetic: Template = {
  name: 'arithmetic',
  *edits({ node }, syntax) {
    if (node.name === 'BinaryExpression') {
      const operator = operatorOf(node, syntax)
      if (operator)
        for (const text of ARITHMETIC[operator.text] ?? []) yield [{ ...operator, text }]
    }
    if (node.name === 'UpdateOp')
      for (const text of UPDATES[syntax.text(node)] ?? []) yield replaced(node, text)
  },
}

/** `and` for `or`; a condition negated, or a negation taken away. */
export const replaceLogic: Template = {
  name: 'logic',
  *edits({ node }, syntax) {
    if (node.name === 'and') yield replaced(node, 'or')
    if (node.name === 'or') yield replaced(node, 'and')
    if (node.name === 'UnaryExpression' && node.firstChild?.name === 'not') {
      const operand = node.firstChild.nextSibling
      if (operand) yield [{ from: node.from, to: operand.from, text: '' }]
    }
    const condition = conditionOf(node)
    if (condition && condition.name !== 'UnaryExpression')
      yield replaced(condition, `not (${syntax.text(condition)})`)
  },
}

/** The text between the operands of a binary expression; `not in` and `is not` are two tokens. */
export function operatorOf(node: SyntaxNode, syntax: Syntax): Edit | null {
  const children = childrenOf(node)
  const [left] = children
  const right = children.at(-1)
  if (!left || !right || children.length < 3) return null
  const between = syntax.source.slice(left.to, right.from)
  const text = between.trim()
  const from = left.to + between.indexOf(text)
  return { from, to: from + text.length, text: text.replace(/\s+/g, ' ') }
}

/** What an `if`, `elif` or `while` asks. */
export function conditionOf(node: SyntaxNode): SyntaxNode | null {
  const isKeyword = node.name === 'if' || node.name === 'elif' || node.name === 'while'
  const parent = node.parent?.name
  if (!isKeyword || parent === 'ArrayComprehensionExpression') return null
  return node.nextSibling
}
