import { applyDiff } from './edit-diff.ts'
import {
  type Diff,
  hasDiffMarks,
  isFileHeader,
  markHunkBodies,
  parseBareHunk,
  parseDiff,
} from './edit-diff-parse.ts'
import type { EditResult } from './edit-result.ts'
import { applySearchBlocks, readSearchBlocks } from './edit-search.ts'
import { blockText, type FencedBlock } from './reply-fences.ts'
import { splitLines } from './reply-text.ts'

export type Edit = {
  /** The text of the edit as the reply has it. */
  source: string
  /** Whether the edit stands in a closed block, so that it cannot have been cut off unseen. */
  isEnclosed: boolean
  result: EditResult
}

const DIFF_TAGS: ReadonlySet<string> = new Set(['diff', 'patch', 'udiff', 'unified-diff'])

export type EditContext = {
  blocks: readonly FencedBlock[]
  /** Whether a line lies inside a whole module, where marks are the content of strings. */
  isText: (line: number) => boolean
  base: string
  entryPoint: string
}

/**
 * The edit that a reply holds, applied to the module; null if it holds none. Recognised by its own
 * marks, whatever form was asked for.
 */
export function readEdit(lines: readonly string[], context: EditContext): Edit | null {
  const hunks = markHunkBodies(lines)
  const isHunkText = (at: number) => hunks[at] === true && /^[ +-]/.test(lines[at] ?? '')
  const search = readSearchBlocks(lines, (at) => context.isText(at) || isHunkText(at))
  if (search.isUnclosed) {
    const result: EditResult = { ok: false, status: 'truncated', notes: ['cause=unclosed_edit'] }
    return { source: '', isEnclosed: false, result }
  }
  if (search.blocks.length > 0) {
    const source = search.blocks.flatMap((block) => block.lines).join('\n')
    return { source, isEnclosed: false, result: applySearchBlocks(context.base, search.blocks) }
  }
  const plain = lines.map((line, at) => (context.isText(at) ? '' : line))
  return readFencedDiff(plain, context) ?? readLooseDiff(plain, context)
}

/** A diff file, without any prose around it. */
export function applyDiffText(text: string, base: string, entryPoint: string): EditResult {
  return applyDiff(base, parseDiff(splitLines(text)), entryPoint)
}

function readFencedDiff(
  lines: readonly string[],
  { blocks, base, entryPoint }: EditContext,
): Edit | null {
  const texts = blocks
    .filter(({ close }) => close !== null)
    .map(({ open, to }) => ({ tag: open.tag, text: blockText(lines, open, to) }))
    .filter(({ tag, text }) => DIFF_TAGS.has(tag) || hasDiffMarks(splitLines(text)))
    .map(({ text }) => text)
  if (texts.length === 0) return null
  const diffs = [...new Set(texts)].map(readDiff)
  const whole: Diff = {
    files: diffs.flatMap(({ files }) => files),
    malformedLine: diffs.find(({ malformedLine }) => malformedLine !== null)?.malformedLine ?? null,
  }
  return { source: texts.join('\n'), isEnclosed: true, result: applyDiff(base, whole, entryPoint) }
}

function readDiff(text: string): Diff {
  const lines = splitLines(text)
  const hasHunks = lines.some((line) => /^@@(?: |$)/.test(line))
  return hasHunks || hasRefusable(lines) ? parseDiff(lines) : parseBareHunk(lines)
}

/** Headers that ask for more than text: they must be refused, not read as a hunk. */
function hasRefusable(lines: readonly string[]): boolean {
  return lines.some((line) => /^(?:diff --git |\*\*\* (?:Delete|Add) File: )/.test(line))
}

function readLooseDiff(
  lines: readonly string[],
  { blocks, base, entryPoint }: EditContext,
): Edit | null {
  const loose = [...lines]
  for (const { open, to, close } of blocks) loose.fill('', open.line, close ? to + 1 : to)
  const start = loose.findIndex((line, at) => isFileHeader(loose, at) || /^@@ /.test(line))
  if (start < 0) return null
  const body = loose.slice(start)
  if (!body.some((line) => /^@@(?: |$)/.test(line)) && !hasRefusable(body)) return null
  const result = applyDiff(base, parseDiff(body, true), entryPoint)
  return { source: body.join('\n'), isEnclosed: false, result }
}
