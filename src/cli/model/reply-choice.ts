import type { Candidate } from './reply-blocks.ts'
import { missingNames } from './reply-placeholder.ts'
import { canonicalModule, isQuotedFrom } from './reply-text.ts'

export type Choice =
  /** `isQuote`: every line stands in the faulty module, so an edit in the same reply goes first. */
  | { kind: 'one'; candidate: Candidate; isQuote: boolean; notes: string[] }
  | { kind: 'many'; count: number }
  | { kind: 'none' }

/**
 * Which of several texts that define the entry point is the answer. Decided by form alone, never
 * by what the code does: copies count once; a quotation of the faulty module, or of a part of
 * another text, gives way to other text; a text that defines every public name of the module is
 * preferred to a fragment, since the whole module was asked for. What is still more than one is
 * ambiguous.
 */
export function chooseModule(candidates: readonly Candidate[], base: string): Choice {
  const distinct = [
    ...new Map(candidates.map((candidate) => [canonicalModule(candidate.text), candidate])),
  ]
  if (distinct.length === 0) return { kind: 'none' }
  const fresh = distinct.filter(([text]) => !isQuotedFrom(text, base))
  const isQuote = fresh.length === 0
  const answers = isQuote ? distinct : fresh
  const whole = answers.filter(
    ([text]) => !answers.some(([other]) => other !== text && isQuotedFrom(text, other)),
  )
  const complete = whole.filter(([text]) => missingNames(text, base).length === 0)
  const final = complete.length > 0 ? complete : whole
  const only = final.length === 1 ? final[0] : undefined
  if (!only) return { kind: 'many', count: final.length }
  const notes: string[] = []
  if (answers.length < distinct.length) notes.push('quoted_base_ignored')
  if (final.length < answers.length) notes.push('fragment_ignored')
  return { kind: 'one', candidate: only[1], isQuote, notes }
}
