import type { SyntaxNode, Tree } from '@lezer/common'
import { parser } from '@lezer/python'
import { bridgeGrammarGaps } from './reply-python-gaps.ts'

export type SourceError = {
  /** UTF-16 offset of the first character that cannot be Python. */
  offset: number
  /** Counted from 1. */
  line: number
  /** Such as `U+00A0`, where the character there is not ASCII. */
  codePoint?: string
}

/** Questions about one text, and about a module and its faulty form, come in a row. */
const TREES_KEPT = 4
const trees = new Map<string, Tree>()
let lastError: { source: string; offset: number | null } | null = null

/** The concrete syntax tree; it may hold error nodes. */
export function parsePython(source: string): Tree {
  return trees.get(source) ?? keepTree(source, parser.parse(source))
}

function keepTree(source: string, tree: Tree): Tree {
  for (const oldest of trees.keys()) {
    if (trees.size < TREES_KEPT) break
    trees.delete(oldest)
  }
  trees.set(source, tree)
  return tree
}

/**
 * The first place that cannot be Python, or null. The grammar follows Python loosely: it lets
 * some wrong text through (the judge has the last word), but must not refuse valid text.
 */
export function findSourceError(source: string): SourceError | null {
  const offset = firstError(source)
  if (offset === null) return null
  const line = source.slice(0, offset).split('\n').length
  const code = source.codePointAt(offset)
  if (code === undefined || code < 128) return { offset, line }
  return { offset, line, codePoint: `U+${code.toString(16).toUpperCase().padStart(4, '0')}` }
}

export function isPython(source: string): boolean {
  return firstError(source) === null
}

/** Names that the module binds at its top level, also inside `if`, `try`, `with` and loops. */
export function topLevelNames(source: string): { defined: Set<string>; imported: Set<string> } {
  const names = { defined: new Set<string>(), imported: new Set<string>() }
  collectNames(parsePython(source).topNode, source, names)
  return names
}

/** Whether the module itself defines `name` at its top level; an import does not count. */
export function definesName(source: string, name: string): boolean {
  return source.includes(name) && topLevelNames(source).defined.has(name)
}

function firstError(source: string): number | null {
  if (lastError?.source !== source) lastError = { source, offset: findError(source) }
  return lastError.offset
}

function findError(source: string): number | null {
  const error = grammarError(source)
  if (error === null) return layoutError(source)
  const bridged = bridgeGrammarGaps(source)
  if (bridged === source) return error
  return grammarError(bridged) ?? layoutError(bridged)
}

/** Recovery from one error after the other is what makes a parse slow, so this one stops. */
const STRICT = parser.configure({ strict: true })

/** Where there is none, the strict parse has made the tree that a tolerant one would. */
function grammarError(source: string): number | null {
  try {
    keepTree(source, STRICT.parse(source))
    return null
  } catch (error) {
    const offset = /^No parse at (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    if (offset === undefined) throw error
    return Number(offset)
  }
}

/**
 * Faults that the grammar lets pass: an indented first statement, a string left open, the print
 * statement of Python 2, a name with a character that no name may hold (the grammar takes every
 * character above ASCII).
 */
function layoutError(source: string): number | null {
  const indented = /^(?:[^\S\n]*(?:#.*)?\n)*[ \t]+(?=[^\s#\\])/.exec(source)
  if (indented) return indented[0].length
  let first: number | null = null
  parsePython(source).iterate({
    enter(node) {
      if (first !== null) return
      const text = source.slice(node.from, node.to)
      if (node.name === 'String' || node.name === 'FormatString') {
        const quote = /^[a-zA-Z]*('''|"""|'|")/.exec(text)?.[1]
        if (quote !== undefined && !text.endsWith(quote)) first = node.to
      } else if (node.name === 'PrintStatement') {
        const literal = /^print\s+(?=[a-zA-Z]{0,2}["'])/.exec(text)
        if (literal) first = node.from + literal[0].length
      } else if (node.name === 'VariableName' || node.name === 'PropertyName') {
        const valid = IDENTIFIER.exec(text.normalize('NFKC'))?.[0].length ?? 0
        if (valid < text.normalize('NFKC').length) first = node.from + valid
      }
    },
  })
  return first
}

const IDENTIFIER = /^[_\p{XID_Start}]\p{XID_Continue}*/u

type Names = { defined: Set<string>; imported: Set<string> }

function collectNames(parent: SyntaxNode, source: string, names: Names): void {
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    switch (node.name) {
      case 'FunctionDefinition':
      case 'ClassDefinition':
      case 'TypeDefinition': {
        const name = node.getChild('VariableName')
        if (name) names.defined.add(source.slice(name.from, name.to))
        break
      }
      case 'AssignStatement':
        collectTargets(node, source, names.defined)
        break
      case 'ImportStatement':
        collectImports(source.slice(node.from, node.to), names.imported)
        break
      case 'StatementGroup':
      case 'DecoratedStatement':
      case 'IfStatement':
      case 'TryStatement':
      case 'WithStatement':
      case 'ForStatement':
      case 'WhileStatement':
      case 'Body':
        collectNames(node, source, names)
        break
    }
  }
}

function collectTargets(statement: SyntaxNode, source: string, into: Set<string>): void {
  const operators = statement.getChildren('AssignOp')
  const end = operators.at(-1)?.from ?? statement.to
  statement.cursor().iterate((node) => {
    if (node.from >= end || node.name === 'TypeDef' || node.name === 'MemberExpression')
      return false
    if (node.name === 'VariableName') into.add(source.slice(node.from, node.to))
    return true
  })
}

function collectImports(statement: string, into: Set<string>): void {
  const list = statement.replace(/^\s*from\s[^\n]*?\bimport\b|^\s*import\b/, '').replace(/#.*/g, '')
  for (const item of list.replace(/[()\\]/g, ' ').split(',')) {
    const words = item.trim().split(/\s+/)
    const name = words.length === 3 && words[1] === 'as' ? words[2] : words[0]?.split('.')[0]
    if (name) into.add(name)
  }
}
