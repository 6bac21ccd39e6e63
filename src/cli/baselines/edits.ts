import { findSourceError } from '../model/reply-python.ts'

/** Replaces [from, to) of the faulty module by a text. Offsets are UTF-16. */
export type Edit = { from: number; to: number; text: string }

/** One way to change the module: edits of the same text that do not meet. */
export type Candidate = {
  /** The template or operator that made it, for the notes. */
  origin: string
  edits: readonly Edit[]
}

/** A candidate's edits: one piece of text becomes another. */
export function replaced(piece: { from: number; to: number }, text: string): Edit[] {
  return [{ from: piece.from, to: piece.to, text }]
}

/** A candidate's edits: text is put in at an offset. */
export function inserted(offset: number, text: string): Edit[] {
  return [{ from: offset, to: offset, text }]
}

export function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = ''
  let at = 0
  for (const { from, to, text } of [...edits].sort(inOrder)) {
    result += source.slice(at, from) + text
    at = to
  }
  return result + source.slice(at)
}

/** Whether two edits touch the same text; two insertions at one place do. */
export function overlap(left: Edit, right: Edit): boolean {
  if (left.from === right.from) return true
  return left.from < right.to && right.from < left.to
}

/** Whether a changed module is worth a check. */
export function isWorthChecking(module: string): boolean {
  return findSourceError(module) === null
}

function inOrder(left: Edit, right: Edit): number {
  return left.from - right.from || left.to - right.to
}
