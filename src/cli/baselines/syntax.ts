import type { SyntaxNode, Tree } from '@lezer/common'
import { parsePython } from '../model/reply-python.ts'
import { bridgeGrammarGaps } from '../model/reply-python-gaps.ts'

/** A module, its tree and what the methods ask about both. */
export type Syntax = {
  source: string
  tree: Tree
  /** Every node in source order, with the names of functions and classes around it. */
  nodes: readonly Located[]
  text: (node: SyntaxNode) => string
}

export type Located = { node: SyntaxNode; path: readonly string[] }

/** The tree is that of the text with the grammar's gaps bridged, whose offsets are the same. */
export function readSyntax(source: string): Syntax {
  const tree = parsePython(bridgeGrammarGaps(source))
  const text = (node: SyntaxNode) => source.slice(node.from, node.to)
  const nodes: Located[] = []
  const visit = (node: SyntaxNode, path: readonly string[]) => {
    nodes.push({ node, path })
    const name = isDefinition(node) ? node.getChild('VariableName') : null
    const inner = name ? [...path, text(name)] : path
    for (const child of childrenOf(node)) visit(child, inner)
  }
  visit(tree.topNode, [])
  return { source, tree, nodes, text }
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
  return children
}

export function isDefinition(node: SyntaxNode): boolean {
  return node.name === 'FunctionDefinition' || node.name === 'ClassDefinition'
}

const STATEMENTS: ReadonlySet<string> = new Set([
  'AssignStatement',
  'UpdateStatement',
  'ExpressionStatement',
  'ReturnStatement',
  'YieldStatement',
  'RaiseStatement',
  'DeleteStatement',
  'PassStatement',
  'BreakStatement',
  'ContinueStatement',
  'AssertStatement',
  'IfStatement',
  'ForStatement',
  'WhileStatement',
  'WithStatement',
  'TryStatement',
  'MatchStatement',
])

/** Statements inside functions: what a repair may move, copy or delete. Docstrings are none. */
export function statementsOf(syntax: Syntax): Located[] {
  return syntax.nodes.filter(
    ({ node, path }) =>
      STATEMENTS.has(node.name) &&
      path.length > 0 &&
      node.parent?.name === 'Body' &&
      startsItsLine(syntax.source, node) &&
      !isDocstring(node),
  )
}

export function isDocstring(node: SyntaxNode): boolean {
  const only = node.firstChild
  return (
    node.name === 'ExpressionStatement' &&
    only?.name === 'String' &&
    only.nextSibling === null &&
    node.prevSibling?.name === ':'
  )
}

function startsItsLine(source: string, node: SyntaxNode): boolean {
  return source.slice(lineStart(source, node.from), node.from).trim() === ''
}

export function lineStart(source: string, offset: number): number {
  return source.lastIndexOf('\n', offset - 1) + 1
}

/** The blanks before a statement. */
export function indentAt(source: string, node: SyntaxNode): string {
  return source.slice(lineStart(source, node.from), node.from)
}

/** A parameter of a function, without stars and defaults. */
export function parametersOf(syntax: Syntax, definition: SyntaxNode): string[] {
  const list = definition.getChild('ParamList')
  if (!list) return []
  const names: string[] = []
  for (const child of childrenOf(list)) {
    const before = child.prevSibling?.name
    const isName = child.name === 'VariableName' && (before === '(' || before === ',')
    if (isName) names.push(syntax.text(child))
  }
  return names.filter((name) => name !== 'self' && name !== 'cls')
}
