import { stripLineTokens } from './reply-tokens.ts'

export type FenceMark = {
  /** Line of the mark, counted from 0. */
  line: number
  character: '`' | '~'
  length: number
  /** Columns before the mark, a list marker or quote sign included. */
  indent: number
  /** Language tag in lower case, '' if none. */
  tag: string
  /** Text of the line before the mark: null for a mark that has the line to itself. */
  before: string | null
}

export type FencedBlock = {
  open: FenceMark
  /** Lines [from, to) of the content; the mark lines are outside. */
  from: number
  to: number
  /** null: the text ended first. */
  close: FenceMark | null
}

const OWN_LINE = /^(\s*(?:>\s?)*(?:(?:[-*+]|\d+[.)])[ \t]+)?)(`{3,}|~{3,})[ \t]*([^`]*)$/
const LINE_END = /(?<![`~])(`{3,}|~{3,})([\w+-]*)$/

/** Every line that may open or close a block, in order. */
export function findFenceMarks(lines: readonly string[]): FenceMark[] {
  return lines.flatMap((text, line) => readFenceMark(text, line) ?? [])
}

function readFenceMark(text: string, line: number): FenceMark | null {
  const bare = stripLineTokens(text).trimEnd()
  const own = OWN_LINE.exec(bare)
  const match = own ?? LINE_END.exec(bare)
  const run = own ? own[2] : match?.[1]
  if (!match || run === undefined) return null
  return {
    line,
    character: run.startsWith('~') ? '~' : '`',
    length: run.length,
    indent: own?.[1]?.length ?? 0,
    tag: readTag((own ? own[3] : match[2]) ?? ''),
    before: own ? null : bare.slice(0, match.index),
  }
}

/** `python title="x"`, `{.python}` and `python:width.py` are all python. */
function readTag(info: string): string {
  return /^[{.\s]*([\w+#-]*)/.exec(info)?.[1]?.toLowerCase() ?? ''
}

/**
 * Blocks as CommonMark pairs them: a block ends at the first mark of its own character, at least
 * as long, without a tag, and not indented deeper. A docstring's fence is indented deeper.
 */
export function pairFences(marks: readonly FenceMark[], lineCount: number): FencedBlock[] {
  const blocks: FencedBlock[] = []
  let open: FenceMark | null = null
  for (const mark of marks) {
    if (open === null) {
      if (mark.before === null || mark.tag !== '') open = mark
    } else if (closes(mark, open)) {
      blocks.push({ open, from: open.line + 1, to: mark.line, close: mark })
      open = null
    }
  }
  if (open) blocks.push({ open, from: open.line + 1, to: lineCount, close: null })
  return blocks
}

function closes(mark: FenceMark, open: FenceMark): boolean {
  return (
    mark.before === null &&
    mark.tag === '' &&
    mark.character === open.character &&
    mark.length >= open.length &&
    mark.indent <= open.indent
  )
}

/**
 * The content of a block: exactly the indent of the opening mark is taken off. If some line does
 * not have it, the mark alone was indented and every line stays as it is.
 */
export function blockText(lines: readonly string[], open: FenceMark, to: number): string {
  const content = lines.slice(open.line + 1, to)
  const prefix = prefixOf(lines, open)
  if (!content.every((line) => line.trim() === '' || prefix.test(line))) return joined(content)
  return looseBlockText(lines, open, to)
}

/** The same, with the indent taken off wherever it is: for text that may run past the block. */
export function looseBlockText(lines: readonly string[], open: FenceMark, to: number): string {
  const prefix = prefixOf(lines, open)
  return joined(lines.slice(open.line + 1, to).map((line) => line.replace(prefix, '')))
}

function prefixOf(lines: readonly string[], open: FenceMark): RegExp {
  const signs = /^\s*(?:>\s?)+/.exec(lines[open.line] ?? '')?.[0].match(/>/g)?.length ?? 0
  if (signs > 0) return new RegExp(`^\\s*(?:>[ \\t]?){${signs}}`)
  // A line of blanks may have lost part of the indent on its way.
  return new RegExp(`^(?:[ \\t]{${open.indent}}|[ \\t]*$)`)
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

/**
 * The same text, of the same length, for the question whether it is Python: `~~~python` is an
 * expression, while backticks are an error outside of strings.
 */
export function hideTildeFences(text: string): string {
  if (!text.includes('~~~')) return text
  return text
    .split('\n')
    .map((line) => (/^[\s>]*~{3,}/.test(line) ? line.replaceAll('~', '`') : line))
    .join('\n')
}
