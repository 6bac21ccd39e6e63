/**
 * Repair by fix templates, after TBar (Liu, Koyuncu, Kim, Bissyandé: "TBar: Revisiting
 * Template-Based Automated Program Repair", ISSTA 2019): each template describes one kind of
 * small mistake; candidates are tried in the order of the templates and the first that passes
 * all visible checks is the patch.
 */
import type { Candidate, Edit } from './edits.ts'
import { focusFirst, reachableFrom } from './focus.ts'
import { type Located, readSyntax, type Syntax } from './syntax.ts'
import { shiftBoundary, shiftConstant, shiftResult } from './templates-boundaries.ts'
import { replaceField, replaceVariable } from './templates-names.ts'
import { replaceArithmetic, replaceComparison, replaceLogic } from './templates-operators.ts'
import {
  deleteStatement,
  leaveBranch,
  moveStatement,
  replaceName,
  swapParts,
} from './templates-structure.ts'
import { copyValue, defaultValue, insertGuard, nonesAreNotFalsy } from './templates-values.ts'

export type Template = {
  name: string
  /** Each item is one candidate: the edits that belong together. */
  edits: (located: Located, syntax: Syntax) => Iterable<readonly Edit[]>
}

/** From the most to the least likely mistake; within one, from the smallest change on. */
export const TEMPLATES: readonly Template[] = [
  replaceComparison,
  shiftConstant,
  nonesAreNotFalsy,
  shiftBoundary,
  replaceArithmetic,
  replaceLogic,
  replaceName,
  swapParts,
  replaceField,
  defaultValue,
  moveStatement,
  leaveBranch,
  copyValue,
  deleteStatement,
  shiftResult,
  replaceVariable,
  insertGuard,
]

/** Every candidate for a module, in the order in which they are tried. Deterministic. */
export function* templateCandidates(source: string, entryPoint: string): Generator<Candidate> {
  const syntax = readSyntax(source)
  const nodes = focusFirst(syntax.nodes, reachableFrom(syntax, entryPoint))
  for (const { name, edits } of TEMPLATES)
    for (const located of nodes)
      for (const candidate of edits(located, syntax))
        if (candidate.length > 0) yield { origin: name, edits: candidate }
}
