import type { SyntaxNode } from '@lezer/common'
import type { Candidate } from './reply-blocks.ts'
import { hideTildeFences } from './reply-fences.ts'
import { definesName, findSourceError, parsePython, topLevelNames } from './reply-python.ts'
import { MAX_MODULE_BYTES } from './reply-text.ts'

/** Starts that are tried for one run; the search stays linear in them. */
const MAX_STARTS = 200
/** Lines that are given up at the end of a run until a statement ends there. */
const MAX_SHORTER = 200
/** A reply that defines its entry point more often is a loop that never ended. */
const MAX_DEFINITIONS = 40

/**
 * Code between prose without any fence: the longest runs of lines that parse and define the entry
 * point. Runs do not overlap; more than one means that the reply holds several versions.
 */
export function findUnfencedModules(lines: readonly string[], entryPoint: string): Candidate[] {
  const found: Candidate[] = []
  const search = openSearch(lines, entryPoint)
  const definition = new RegExp(
    `^(?:(?:async\\s+)?(?:def|class)\\s+${entryPoint}\\b|${entryPoint}\\s*(?::[^=]+)?=[^=])`,
  )
  let definitions = 0
  for (let at = 0; at < lines.length && definitions < MAX_DEFINITIONS; at++) {
    if (!definition.test(lines[at] ?? '')) continue
    definitions++
    const run = longestRun(search, found.at(-1)?.to ?? 0, at)
    if (!run) continue
    found.push(run)
    at = run.to
  }
  return found
}

type Search = {
  lines: readonly string[]
  entryPoint: string
  /** What is parsed in place of lines [from, to). */
  code: (from: number, to: number) => string
  /** The first line that cannot follow when code begins at this line. */
  errorLine: (start: number) => number
}

function openSearch(lines: readonly string[], entryPoint: string): Search {
  const offsets = [0]
  for (const line of lines) offsets.push((offsets.at(-1) ?? 0) + line.length + 1)
  const whole = hideTildeFences(lines.map((line) => `${line}\n`).join(''))
  const code = (from: number, to: number) => whole.slice(offsets[from], offsets[to])
  const known = new Map<number, number>()
  const errorLine = (start: number) => {
    const limit = known.get(start)
    if (limit !== undefined) return limit
    const from = offsets[start] ?? 0
    const error = findSourceError(whole.slice(from, from + MAX_MODULE_BYTES))
    const line = error === null ? lines.length : start + error.line - 1
    known.set(start, line)
    return line
  }
  return { lines, entryPoint, code, errorLine }
}

/** Earlier starts give longer runs, since all end at the same first error. */
function longestRun(search: Search, from: number, definition: number): Candidate | null {
  for (let start = Math.max(from, definition - MAX_STARTS); start <= definition; start++) {
    if (!/^\S/.test(search.lines[start] ?? '') || search.errorLine(start) <= definition) continue
    const run = runFrom(search, start, definition)
    if (run) return run
  }
  return null
}

/** The longest run that begins here: up to the first error, then back to where a statement ends. */
function runFrom(search: Search, start: number, definition: number): Candidate | null {
  const { lines, entryPoint } = search
  const last = search.errorLine(start)
  for (let end = last; end > Math.max(definition, last - MAX_SHORTER); end--) {
    const text = search.code(start, end)
    if (findSourceError(text) !== null || !definesName(text, entryPoint)) continue
    const edges = trimProse(text)
    return trimBlankLines(lines, start + edges.leading, end - edges.trailing)
  }
  return null
}

function trimBlankLines(lines: readonly string[], from: number, to: number): Candidate {
  let [first, last] = [from, to]
  while (first < last && lines[first]?.trim() === '') first++
  while (last > first && lines[last - 1]?.trim() === '') last--
  return { text: joinLines(lines, first, last), from: first, to: last, tag: '' }
}

function joinLines(lines: readonly string[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map((line) => `${line}\n`)
    .join('')
}

/**
 * Prose such as `Done` or `Note: fixed` parses as Python. Lines at either edge that are only
 * names and numbers, and that could not run because no such name exists, are not code.
 */
export function trimProse(text: string): { leading: number; trailing: number } {
  const statements: SyntaxNode[] = []
  for (let node = parsePython(text).topNode.firstChild; node; node = node.nextSibling)
    statements.push(node)
  const names = topLevelNames(text)
  const isProse = (node: SyntaxNode) =>
    isLooseExpression(node, text, (name) => names.defined.has(name) || names.imported.has(name))
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length - 1
  let first = 0
  let last = statements.length
  const at = (index: number) => statements[index]
  for (let node = at(first); node && isProse(node); node = at(first)) first++
  for (let node = at(last - 1); last > first && node && isProse(node); node = at(last - 1)) last--
  const head = first > 0 ? at(first) : undefined
  const tail = last < statements.length ? at(last) : undefined
  const total = lineAt(text.length)
  return {
    leading: head ? lineAt(head.from) : 0,
    trailing: tail ? total - lineAt(tail.from) : 0,
  }
}

const LOOSE: ReadonlySet<string> = new Set([
  'ExpressionStatement',
  'AssignStatement',
  'TypeDef',
  'VariableName',
  'Number',
  'TupleExpression',
  'UnaryExpression',
  'BinaryExpression',
  'ArithOp',
  'MemberExpression',
  'PropertyName',
  ',',
  '.',
  ':',
  '*',
])
const BUILTIN_TYPES: ReadonlySet<string> = new Set(
  'int str float bool bytes list dict set tuple object type complex frozenset'.split(' '),
)

function isLooseExpression(
  node: SyntaxNode,
  text: string,
  isKnown: (name: string) => boolean,
): boolean {
  let isLoose = true
  let unknown = 0
  let known = 0
  node.cursor().iterate((part) => {
    if (!LOOSE.has(part.name)) isLoose = false
    if (part.name !== 'VariableName') return
    const name = text.slice(part.from, part.to)
    // The name that an annotation declares need not exist, so it proves nothing.
    if (node.name === 'AssignStatement' && part.from === node.from) return
    if (isKnown(name) || BUILTIN_TYPES.has(name)) known++
    else unknown++
  })
  return isLoose && (unknown > 0 || known === 0)
}
