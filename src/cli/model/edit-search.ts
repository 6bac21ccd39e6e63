import { alignLines } from './edit-align.ts'
import { findBlock } from './edit-match.ts'
import { type EditResult, editAmbiguous, editFailed } from './edit-result.ts'
import { splitLines } from './reply-text.ts'

/** One search/replace block: its lines between the marks, and where dividers stand among them. */
export type SearchBlock = { lines: string[]; dividers: number[] }
export type SearchBlocks = { blocks: SearchBlock[]; isUnclosed: boolean }

const OPEN = /^\s*<{5,9} ?(?:SEARCH|ORIGINAL)>?\s*$/
const DIVIDER = /^\s*={5,9}\s*$/
const CLOSE = /^\s*>{5,9} ?(?:REPLACE|UPDATED)\s*$/

/**
 * Search/replace blocks as aider asks for them, wherever they stand in the reply. A line for
 * which `isText` holds is no mark, because it stands inside a string of the code.
 */
export function readSearchBlocks(
  lines: readonly string[],
  isText: (line: number) => boolean,
): SearchBlocks {
  const blocks: SearchBlock[] = []
  let open: SearchBlock | null = null
  for (const [at, line] of lines.entries()) {
    const isMark = !isText(at)
    if (open === null) {
      if (isMark && OPEN.test(line)) open = { lines: [], dividers: [] }
    } else if (isMark && CLOSE.test(line) && open.dividers.length > 0) {
      blocks.push(open)
      open = null
    } else {
      if (isMark && DIVIDER.test(line)) open.dividers.push(open.lines.length)
      open.lines.push(line)
    }
  }
  return { blocks, isUnclosed: open !== null }
}

/**
 * Applies the blocks in order, each to exactly one place. Several places in the faulty module are
 * ambiguous even if an earlier block has changed one of them meanwhile.
 */
export function applySearchBlocks(base: string, blocks: readonly SearchBlock[]): EditResult {
  let module = base
  const notes = new Set<string>(['format=search_replace'])
  for (const [index, block] of blocks.entries()) {
    const applied = applyBlock(base, module, block)
    if (!applied.ok) return { ...applied, notes: [`block=${index + 1}`, ...applied.notes] }
    module = applied.module
    for (const note of applied.notes) notes.add(note)
  }
  return { ok: true, module, notes: [...notes] }
}

function applyBlock(base: string, current: string, block: SearchBlock): EditResult {
  const tries = block.dividers.map((divider) =>
    replaceOnce(base, current, block.lines.slice(0, divider), block.lines.slice(divider + 1)),
  )
  // A divider inside the text itself: only one way to read the block may fit.
  const fitting = tries.filter((result) => result.ok || result.status === 'ambiguous')
  if (fitting.length > 1) return editAmbiguous('cause=divider', `matches=${fitting.length}`)
  return fitting[0] ?? tries[0] ?? editFailed('cause=malformed_block')
}

function replaceOnce(
  base: string,
  current: string,
  search: readonly string[],
  replacement: readonly string[],
): EditResult {
  if (search.every((line) => line.trim() === '')) return editFailed('cause=empty_search')
  const inBase = findBlock(splitLines(base), search)
  if (inBase.positions.length > 1) return editAmbiguous(`matches=${inBase.positions.length}`)
  const lines = splitLines(current)
  const whole = findBlock(lines, search)
  if (whole.level === 'exact' && whole.positions.length > 0)
    return replaceLines(lines, whole.positions, search, replacement, [])
  const part = replacePart(current, search.join('\n'), replacement.join('\n'))
  if (part) return part
  return replaceLines(lines, whole.positions, search, replacement, ['relaxed_match'])
}

/** Lines that search and replacement share keep the exact characters of the module. */
function replaceLines(
  lines: readonly string[],
  positions: readonly number[],
  search: readonly string[],
  replacement: readonly string[],
  notes: string[],
): EditResult {
  const [start] = positions
  if (start === undefined) return editFailed('cause=not_found')
  if (positions.length > 1) return editAmbiguous(`matches=${positions.length}`)
  const kept = alignLines(search, replacement)
  const written = replacement.map((line, index) => {
    const from = kept[index] ?? -1
    return from < 0 ? line : (lines[start + from] ?? line)
  })
  const result = [...lines.slice(0, start), ...written, ...lines.slice(start + search.length)]
  return { ok: true, module: result.map((line) => `${line}\n`).join(''), notes }
}

/** A search text that is only part of a line: one exact occurrence in the whole module. */
function replacePart(current: string, search: string, replacement: string): EditResult | null {
  const count = current.split(search).length - 1
  if (count === 0) return null
  if (count > 1) return editAmbiguous(`matches=${count}`)
  const start = current.indexOf(search)
  const module = current.slice(0, start) + replacement + current.slice(start + search.length)
  return { ok: true, module, notes: ['relaxed_match'] }
}
