import type { SyntaxNode } from '@lezer/common'
import { isPython, parsePython, topLevelNames } from './reply-python.ts'

const REST = 'rest|remaining|remainder|other|others'
const CODE =
  'code|file|module|class(?:es)?|functions?|methods?|implementation|logic|body|contents?|imports?|definitions?|helpers?'
const STAYS =
  "unchanged|same|as[ -](?:is|before|above|they are)|omitted|stays?|remains?|kept|elided|goes here|don'?t change|do not change|not changed|no changes?"

/** Comments that stand for code which is not there. */
const ELISIONS: readonly RegExp[] = [
  /^\W*(?:\.\.\.|…)\W*$/,
  new RegExp(
    `^\\W*(?:\\.\\.\\.|…).*\\b(?:${REST}|${CODE}|existing|previous|original|${STAYS})\\b`,
    'i',
  ),
  new RegExp(`\\b(?:${REST}|${CODE}|existing|original)\\b.*\\s(?:\\.\\.\\.|…)\\W*$`, 'i'),
  new RegExp(
    `^\\W*(?:all\\s+|the\\s+|and\\s+)*(?:${REST})\\b.{0,60}\\b(?:${STAYS}|here)\\b\\W*`,
    'i',
  ),
  new RegExp(
    `^\\W*(?:the\\s+)?(?:rest|remainder) of (?:the |your |this |my )?(?:\\w+ )?(?:${CODE})\\W*$`,
    'i',
  ),
  new RegExp(
    `^\\W*(?:keep\\s+|with\\s+)?(?:all\\s+|the\\s+)*(?:existing|original|previous|unchanged)\\s+(?:\\w+\\s+){0,2}(?:${CODE})\\b(?:\\s+(?:here|above|below|${STAYS}))*\\W*$`,
    'i',
  ),
  /\bfor brevity\b/i,
  /^\W*(?:your|insert|add|put)\b.{0,30}\bcode\b(?:.{0,20}\bhere)?\W*$/i,
]

/** Longer comments say something. */
const MAX_ELISION = 160

/** Comments that may as well stand above code that is there: they count only if some is missing. */
const WEAK_ELISIONS = new RegExp(
  `^\\W*(?:${STAYS}|same as (?:before|above|the original)|snip(?:ped)?|no changes? (?:here|needed))\\W*$`,
  'i',
)

/**
 * Places where a reply leaves code out and says so: in a comment that the faulty module does not
 * have, or by an ellipsis in place of statements. The lines are given as the reply has them.
 */
export function findElisions(module: string, base: string): string[] {
  if (!isPython(module)) return elidedLines(module, base)
  const known = new Set(ownLineComments(base))
  const isShorter = missingNames(module, base).length > 0 || losesStatements(module, base)
  const comments = ownLineComments(module).filter(
    (comment) =>
      !known.has(comment) &&
      (ELISIONS.some((pattern) => pattern.test(comment)) ||
        (isShorter && WEAK_ELISIONS.test(comment))),
  )
  return [...comments, ...strayEllipses(module, base)]
}

/** Public names that the faulty module defines at top level and the reply does not. */
export function missingNames(module: string, base: string): string[] {
  const kept = topLevelNames(module)
  return [...topLevelNames(base).defined].filter(
    (name) => !name.startsWith('_') && !kept.defined.has(name) && !kept.imported.has(name),
  )
}

/** Text that no longer parses may hold an elision in another comment style or in brackets. */
function elidedLines(module: string, base: string): string[] {
  const known = new Set(base.split('\n').map((line) => line.trim()))
  return module
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length <= MAX_ELISION)
    .filter((line) => /^(?:#|\/\/|\/\*|\[|<|\(|\.\.\.|…)/.test(line) && !known.has(line))
    .filter((line) => ELISIONS.some((pattern) => pattern.test(line)))
}

function ownLineComments(source: string): string[] {
  const comments: string[] = []
  parsePython(source).iterate({
    enter(node) {
      if (node.name !== 'Comment') return
      const lineStart = source.lastIndexOf('\n', node.from - 1) + 1
      const isShort = node.to - node.from <= MAX_ELISION
      if (isShort && source.slice(lineStart, node.from).trim() === '')
        comments.push(source.slice(node.from, node.to).trim())
    },
  })
  return comments
}

/** `...` beside other statements, or as the whole body of what had a real body before. */
function strayEllipses(module: string, base: string): string[] {
  const before = functionBodies(base)
  const beside = countBeside(base)
  const emptied = [...functionBodies(module)]
    .filter(([name, body]) => body.isEllipsis && before.get(name)?.isEllipsis === false)
    .map(([name]) => `... for the body of ${name}`)
  return countBeside(module) > beside ? [...emptied, '... among statements'] : emptied
}

function losesStatements(module: string, base: string): boolean {
  const before = functionBodies(base)
  return [...functionBodies(module)].some(
    ([name, body]) => body.statements < (before.get(name)?.statements ?? 0),
  )
}

type FunctionBody = { statements: number; isEllipsis: boolean }

/** Bodies by dotted name, such as `Store.get`. */
function functionBodies(source: string): Map<string, FunctionBody> {
  const bodies = new Map<string, FunctionBody>()
  const visit = (parent: SyntaxNode, path: string) => {
    for (let node = parent.firstChild; node; node = node.nextSibling) {
      const name = node.getChild('VariableName')
      const body = node.getChild('Body')
      const isDefinition = node.name === 'FunctionDefinition' || node.name === 'ClassDefinition'
      if (!isDefinition || !name || !body) {
        visit(node, path)
        continue
      }
      const dotted = path + source.slice(name.from, name.to)
      const statements = statementsOf(body, source)
      if (node.name === 'FunctionDefinition')
        bodies.set(dotted, {
          statements: statements.length,
          isEllipsis: statements.length > 0 && statements.every((text) => text === '...'),
        })
      visit(body, `${dotted}.`)
    }
  }
  visit(parsePython(source).topNode, '')
  return bodies
}

/** Texts of the statements of a body, its docstring left out. */
function statementsOf(body: SyntaxNode, source: string): string[] {
  const texts: string[] = []
  for (let node = body.firstChild; node; node = node.nextSibling)
    if (node.name !== ':' && node.name !== 'Comment') texts.push(source.slice(node.from, node.to))
  return texts.filter((text, index) => index > 0 || !/^[rbuRBU]*["']/.test(text))
}

/** How often `...` stands as a statement next to others. */
function countBeside(source: string): number {
  let count = 0
  parsePython(source).iterate({
    enter(node) {
      if (node.name !== 'Body' && node.name !== 'Script') return
      const texts = statementsOf(node.node, source)
      const dots = texts.filter((text) => text === '...').length
      if (dots < texts.length) count += dots
    },
  })
  return count
}
