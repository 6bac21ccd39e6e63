import type { SyntaxNode } from '@lezer/common'
import { replaced } from './edits.ts'
import { childrenOf, indentAt, isDocstring, lineStart, type Syntax } from './syntax.ts'
import type { Template } from './template.ts'

/** Names that stand for each other by one slip of the mind. */
const TWINS: Readonly<Record<string, readonly string[]>> = {
  min: ['max'],
  max: ['min'],
  any: ['all'],
  all: ['any'],
  floor: ['ceil'],
  ceil: ['floor'],
  append: ['extend', 'add'],
  extend: ['append'],
  add: ['discard'],
  lower: ['casefold'],
  upper: ['casefold'],
  strip: ['rstrip', 'lstrip'],
  lstrip: ['strip'],
  rstrip: ['strip', 'removesuffix'],
  find: ['rfind'],
  rfind: ['find'],
  index: ['find', 'rindex'],
  split: ['rsplit', 'splitlines'],
  rsplit: ['split'],
  partition: ['rpartition'],
  rpartition: ['partition'],
  startswith: ['endswith'],
  endswith: ['startswith'],
  bisect_left: ['bisect_right'],
  bisect_right: ['bisect_left'],
  bisect: ['bisect_left'],
  popleft: ['pop'],
  pop: ['popleft'],
  keys: ['values', 'items'],
  values: ['keys', 'items'],
  isdigit: ['isdecimal'],
  int: ['float', 'round'],
  round: ['int'],
  reversed: ['list'],
  sorted: ['list'],
  set: ['list'],
  copy: ['deepcopy'],
}

/** `max` for `min`, `rfind` for `find`, `continue` for `break`. */
export const replaceName: Template = {
  name: 'twin',
  *edits({ node }, syntax) {
    const isCallee =
      (node.name === 'VariableName' && node.nextSibling?.name === 'ArgList') ||
      (node.name === 'PropertyName' && node.parent?.nextSibling?.name === 'ArgList')
    if (isCallee) for (const text of TWINS[syntax.text(node)] ?? []) yield replaced(node, text)
    if (node.name === 'break') yield replaced(node, 'continue')
    if (node.name === 'continue') yield replaced(node, 'break')
  },
}

/** Two neighbouring arguments, or the branches of a conditional, change places. */
export const swapParts: Template = {
  name: 'swap',
  *edits({ node }, syntax) {
    if (node.name === 'ArgList') {
      const args = childrenOf(node).filter((child) => !'(),'.includes(child.name))
      const isPlain = !childrenOf(node).some(({ name }) => /^(?:AssignOp|\*|\*\*|for)$/.test(name))
      for (let at = 0; isPlain && at + 1 < args.length; at++)
        yield swapped(syntax, args[at], args[at + 1])
    }
    if (node.name === 'ConditionalExpression')
      yield swapped(syntax, node.firstChild, node.lastChild)
    if (node.name === 'BinaryExpression' && /^[-/%]|\/\/$/.test(middleOf(node, syntax)))
      yield swapped(syntax, node.firstChild, node.lastChild)
    if (node.name === 'IfStatement') {
      const bodies = node.getChildren('Body')
      if (bodies.length === 2 && !node.getChild('elif'))
        yield swapped(syntax, bodies[0] ?? null, bodies[1] ?? null)
    }
  },
}

/** A simple statement one line up or down, past its neighbour. */
export const moveStatement: Template = {
  name: 'move',
  *edits({ node }, syntax) {
    const next = node.nextSibling
    if (node.parent?.name !== 'Body' || !next || !isSimple(node)) return
    if (isDocstring(node)) return
    if (indentAt(syntax.source, node) !== indentAt(syntax.source, next)) return
    yield swapped(syntax, node, next)
  },
}

/** A statement that should not be there. */
export const deleteStatement: Template = {
  name: 'delete',
  *edits({ node }) {
    const isStatement = node.parent?.name === 'Body' && /Statement$/.test(node.name)
    if (isStatement && node.name !== 'PassStatement' && !isDocstring(node))
      yield replaced(node, 'pass')
  },
}

/** The last statement of a branch steps out of it: what some cases did, all do. */
export const leaveBranch: Template = {
  name: 'leave-branch',
  *edits({ node }, syntax) {
    const branch = node.parent?.parent
    const isLast = node.nextSibling === null && node.prevSibling?.name !== ':'
    if (branch?.name !== 'IfStatement' || !isLast || !isSimple(node)) return
    const text = syntax.text(node)
    if (text.includes('\n') || branch.lastChild?.from !== node.parent?.from) return
    const line = { from: lineStart(syntax.source, node.from), to: node.to }
    yield replaced(line, indentAt(syntax.source, branch) + text)
  },
}

function swapped(syntax: Syntax, left?: SyntaxNode | null, right?: SyntaxNode | null) {
  if (!left || !right || syntax.text(left) === syntax.text(right)) return []
  return [
    { from: left.from, to: left.to, text: syntax.text(right) },
    { from: right.from, to: right.to, text: syntax.text(left) },
  ]
}

function middleOf(node: SyntaxNode, syntax: Syntax): string {
  const [left] = childrenOf(node)
  return left && node.lastChild ? syntax.source.slice(left.to, node.lastChild.from).trim() : ''
}

function isSimple(node: SyntaxNode): boolean {
  return /^(?:Assign|Update|Expression|Delete|Raise)Statement$/.test(node.name)
}
