import type { SyntaxNode } from '@lezer/common'
import { inserted, replaced } from './edits.ts'
import { childrenOf, indentAt, parametersOf } from './syntax.ts'
import type { Template } from './template.ts'
import { conditionOf, operatorOf } from './templates-operators.ts'

/** `x or y` takes y for every falsy x; only None was meant. The way back as well. */
export const nonesAreNotFalsy: Template = {
  name: 'none-or-falsy',
  *edits({ node }, syntax) {
    if (node.name === 'BinaryExpression' && operatorOf(node, syntax)?.text === 'or') {
      const [left] = childrenOf(node)
      const right = node.lastChild
      if (left && right && isSimple(left)) {
        const [value, other] = [syntax.text(left), syntax.text(right)]
        yield replaced(node, `(${value} if ${value} is not None else ${other})`)
      }
    }
    const condition = conditionOf(node)
    if (!condition) return
    const inner = condition.name === 'UnaryExpression' ? condition.lastChild : null
    if (isSimple(condition)) yield inserted(condition.to, ' is not None')
    else if (inner && condition.firstChild?.name === 'not' && isSimple(inner))
      yield replaced(condition, `${syntax.text(inner)} is None`)
    else if (condition.name === 'BinaryExpression' && condition.lastChild?.name === 'None') {
      const value = condition.firstChild ? syntax.text(condition.firstChild) : ''
      const isNone = operatorOf(condition, syntax)?.text === 'is'
      yield replaced(condition, isNone ? `not ${value}` : value)
    }
  },
}

/** A missing key has a default, or the default of a lookup is another one. */
export const defaultValue: Template = {
  name: 'default',
  *edits({ node }, syntax) {
    if (node.name !== 'CallExpression') return
    const callee = node.firstChild
    const list = node.getChild('ArgList')
    if (!callee || !list || !/\.(?:get|pop)$/.test(syntax.text(callee))) return
    const args = childrenOf(list).filter((child) => !'(),'.includes(child.name))
    const last = args.at(-1)
    if (args.length === 1 && last)
      for (const text of [', 0', ', ()', ", ''", ', None']) yield inserted(last.to, text)
    if (args.length === 2 && last)
      for (const text of ['None', '0', '()'])
        if (syntax.text(last) !== text) yield replaced(last, text)
  },
}

const COPIES = ['list', 'dict', 'set'] as const

/** A copy at the door: of a parameter before it is changed, of what is stored or handed out. */
export const copyValue: Template = {
  name: 'copy',
  *edits({ node }, syntax) {
    if (node.name === 'Body' && node.parent?.name === 'FunctionDefinition') {
      const first = firstStatement(node)
      if (!first) return
      const indent = indentAt(syntax.source, first)
      if (indent.trim() !== '') return
      for (const name of parametersOf(syntax, node.parent)) {
        if (!isChanged(name, syntax.text(node))) continue
        for (const copy of COPIES)
          yield inserted(first.from, `${name} = ${copy}(${name})\n${indent}`)
      }
    }
    const value = returnedOrStored(node)
    if (value && (value.name === 'VariableName' || value.name === 'MemberExpression'))
      for (const copy of COPIES) yield replaced(value, `${copy}(${syntax.text(value)})`)
  },
}

const CHANGING = 'append|extend|insert|sort|reverse|pop|remove|clear|update|add|discard|setdefault'

/** Whether the code changes the object behind a name in place. */
function isChanged(name: string, code: string): boolean {
  const item = `\\b${name}\\[[^\\]]*\\]\\s*[-+*/|&]?=[^=]`
  return new RegExp(`${item}|\\b${name}\\.(?:${CHANGING})\\(|\\bdel ${name}\\[`).test(code)
}

/** An early return for an argument that is empty or None. */
export const insertGuard: Template = {
  name: 'guard',
  *edits({ node }, syntax) {
    if (node.name !== 'Body' || node.parent?.name !== 'FunctionDefinition') return
    const first = firstStatement(node)
    if (!first) return
    const indent = indentAt(syntax.source, first)
    if (indent.trim() !== '') return
    for (const name of parametersOf(syntax, node.parent))
      for (const test of [`${name} is None`, `not ${name}`])
        for (const result of ['None', '[]', '0', 'False', '{}', name])
          yield inserted(first.from, `if ${test}:\n${indent}    return ${result}\n${indent}`)
  },
}

/** The first statement after a docstring. */
function firstStatement(body: SyntaxNode): SyntaxNode | null {
  const statements = childrenOf(body).filter(({ name }) => name !== ':' && name !== 'Comment')
  const [first, second] = statements
  const isDoc = first?.name === 'ExpressionStatement' && first.firstChild?.name === 'String'
  return (isDoc ? second : first) ?? null
}

function returnedOrStored(node: SyntaxNode): SyntaxNode | null {
  if (node.name === 'ReturnStatement' || node.name === 'YieldStatement')
    return node.lastChild?.name === 'return' ? null : node.lastChild
  if (node.name === 'AssignStatement') return node.lastChild
  return null
}

function isSimple(node: SyntaxNode): boolean {
  return ['VariableName', 'MemberExpression', 'CallExpression'].includes(node.name)
}
