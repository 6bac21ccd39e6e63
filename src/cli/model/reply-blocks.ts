import {
  blockText,
  type FencedBlock,
  type FenceMark,
  hideTildeFences,
  looseBlockText,
  pairFences,
} from './reply-fences.ts'
import { definesName, findSourceError } from './reply-python.ts'
import { MAX_MODULE_BYTES } from './reply-text.ts'
import { stripTrailingTokens } from './reply-tokens.ts'

/** Text that may be the answer, and the lines [from, to) of the reply that it stands on. */
export type Candidate = { text: string; from: number; to: number; tag: string }

const PYTHON_TAGS: ReadonlySet<string> = new Set(['', 'python', 'python3', 'py', 'py3'])
/** Above this many marks only the plain pairs are tried: pairs grow with the square. */
const MAX_MARKS = 80

/**
 * Fenced texts that parse and define the entry point. For each opening mark the longest such span
 * counts, because a fence inside a docstring ends nothing; a span inside another one is part of
 * it. Blocks with the tag of another language count only where no other is found.
 */
export function findModuleBlocks(
  lines: readonly string[],
  marks: readonly FenceMark[],
  entryPoint: string,
): Candidate[] {
  const spans =
    marks.length > MAX_MARKS
      ? pairFences(marks, lines.length).flatMap((block) =>
          block.close ? (readSpan(lines, block.open, [block.close], entryPoint) ?? []) : [],
        )
      : marks.flatMap((open) => longestSpan(lines, marks, open, entryPoint) ?? [])
  const outermost = spans.filter(
    (span) => !spans.some((other) => other !== span && encloses(other, span)),
  )
  const python = outermost.filter(({ tag }) => PYTHON_TAGS.has(tag))
  return python.length > 0 ? python : outermost
}

/** Closed blocks that were meant to be the module but cannot be parsed. */
export function findBrokenBlocks(
  lines: readonly string[],
  blocks: readonly FencedBlock[],
  entryPoint: string,
): Candidate[] {
  const definition = new RegExp(`^\\s*(?:async\\s+)?(?:def|class)\\s+${entryPoint}\\b`, 'm')
  return blocks.flatMap(({ open, from, to, close }) => {
    if (!close || !PYTHON_TAGS.has(open.tag)) return []
    const text = stripTrailingTokens(blockText(lines, open, to))
    return definition.test(text) ? [{ text, from, to, tag: open.tag }] : []
  })
}

function longestSpan(
  lines: readonly string[],
  marks: readonly FenceMark[],
  open: FenceMark,
  entryPoint: string,
): Candidate | null {
  const closing = marks.filter(
    (mark) => mark.line > open.line && mark.character === open.character && mark.tag === '',
  )
  return readSpan(lines, open, closing.reverse(), entryPoint)
}

function readSpan(
  lines: readonly string[],
  open: FenceMark,
  longestFirst: readonly FenceMark[],
  entryPoint: string,
): Candidate | null {
  const last = longestFirst[0]
  if (last === undefined) return null
  const limit = errorLine(lines, open, last.line)
  for (const close of longestFirst) {
    if (close.line > limit) continue
    const text = spanText(lines, open, close)
    if (text.length > MAX_MODULE_BYTES || !text.includes(entryPoint)) continue
    for (const version of [text, stripTrailingTokens(text)]) {
      if (findSourceError(hideTildeFences(version)) === null && definesName(version, entryPoint))
        return { text: version, from: open.line + 1, to: close.line, tag: open.tag }
    }
  }
  return null
}

/**
 * The line of the first error when everything up to the last mark is read as one text. A span
 * that reaches beyond it holds the same error, so it need not be parsed.
 */
function errorLine(lines: readonly string[], open: FenceMark, last: number): number {
  const text = looseBlockText(lines, open, last).slice(0, 2 * MAX_MODULE_BYTES)
  const error = findSourceError(hideTildeFences(text))
  return error === null ? last : open.line + error.line
}

/** A closing mark at the end of a code line closes after that code. */
function spanText(lines: readonly string[], open: FenceMark, close: FenceMark): string {
  if (close.before === null) return blockText(lines, open, close.line)
  return blockText([...lines.slice(0, close.line), close.before], open, close.line + 1)
}

function encloses(outer: Candidate, inner: Candidate): boolean {
  return outer.from <= inner.from && inner.to <= outer.to
}
