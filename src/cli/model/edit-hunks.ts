import type { Hunk } from './edit-diff-parse.ts'
import { findBlock, type Matches } from './edit-match.ts'
import { type EditResult, editAmbiguous, editFailed } from './edit-result.ts'
import { splitLines } from './reply-text.ts'

type Placed = { hunk: Hunk; start: number; length: number }

/**
 * Applies hunks to the module, all or none. The lines of a hunk decide where it goes; the line
 * number of its header only decides between several such places, and only if it names one of
 * them exactly. No line is skipped to make a hunk fit.
 */
export function applyHunks(base: string, hunks: readonly Hunk[]): EditResult {
  const lines = splitLines(base)
  const notes = new Set<string>()
  const placed: Placed[] = []
  for (const [index, hunk] of hunks.entries()) {
    if (hunk.lines.length === 0) return editFailed(`hunk=${index + 1}`, 'cause=empty_hunk')
    const old = hunk.lines.filter(({ mark }) => mark !== '+').map(({ text }) => text)
    const matches = findBlock(lines, old)
    if (matches.positions.length === 0)
      return editFailed(`hunk=${index + 1}`, 'cause=context_not_found')
    const start = choosePosition(matches, hunk, old.length, placed)
    if (start === null)
      return editAmbiguous(`hunk=${index + 1}`, `matches=${matches.positions.length}`)
    placed.push({ hunk, start, length: old.length })
    if (hunk.isRecounted) notes.add('recounted')
    if (matches.level !== 'exact') notes.add('relaxed_match')
    if (old.length === 0) notes.add('placed_by_line_number')
    else if (matches.positions.length > 1) notes.add('tie_broken_by_line_number')
    else if (hunk.start !== null && hunk.start !== start + 1) notes.add('offset')
  }
  placed.sort((left, right) => left.start - right.start)
  const overlaps = placed.some(({ start }, index) => {
    const before = placed[index - 1]
    return before !== undefined && start < before.start + before.length
  })
  if (overlaps) return editFailed('cause=overlapping_hunks')
  return { ok: true, module: rewrite(lines, placed), notes: [...notes] }
}

/** Hunks follow each other in a file, so a later one never stands before an earlier one. */
function choosePosition(
  { positions }: Matches,
  hunk: Hunk,
  length: number,
  placed: readonly Placed[],
): number | null {
  const [only] = positions
  if (positions.length === 1 && only !== undefined) return only
  // A header that removes nothing names the line after which it inserts.
  const claimed = hunk.start === null ? null : length === 0 ? hunk.start : hunk.start - 1
  if (claimed !== null && positions.includes(claimed)) return claimed
  const last = placed.at(-1)
  if (!last || length === 0) return null
  const later = positions.filter((position) => position >= last.start + last.length)
  return later.length === 1 ? (later[0] ?? null) : null
}

/** Context keeps the exact characters of the module, whatever the hunk has in its place. */
function rewrite(lines: readonly string[], placed: readonly Placed[]): string {
  const result: string[] = []
  let at = 0
  for (const { hunk, start } of placed) {
    while (at < start) result.push(lines[at++] ?? '')
    for (const { mark, text } of hunk.lines) {
      if (mark === '+') result.push(text)
      else if (mark === '-') at++
      else result.push(lines[at++] ?? text)
    }
  }
  result.push(...lines.slice(at))
  return result.map((line) => `${line}\n`).join('')
}
