import { LIMITS } from '../../protocol/limits.ts'

/** The API refuses larger patches, so nothing larger is worth parsing. */
export const MAX_MODULE_BYTES: number = LIMITS.moduleBytes

/** LF line ends and no byte-order mark. A lone CR stays: it is a character, not a line end. */
export function unifyLineEnds(text: string): string {
  return (text.startsWith('\ufeff') ? text.slice(1) : text).replaceAll('\r\n', '\n')
}

/**
 * The one form of a module that is compared, hashed and judged: LF, no byte-order mark, exactly
 * one newline at the end. Nothing else of the text changes.
 */
export function canonicalModule(text: string): string {
  const unified = unifyLineEnds(text)
  let end = unified.length
  while (unified[end - 1] === '\n') end--
  return end === 0 ? '' : `${unified.slice(0, end)}\n`
}

/** Lines end at LF only: form feed, U+0085, U+2028 and the like belong to a line. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Why this text can be no Python file at all, whatever the grammar says; null = it can. */
export function fileDefect(text: string): string | null {
  if (!text.isWellFormed()) return 'lone_surrogate'
  const nul = text.indexOf('\u0000')
  if (nul >= 0) return `nul_character at line ${text.slice(0, nul).split('\n').length}`
  if (Buffer.byteLength(text, 'utf8') > MAX_MODULE_BYTES) return `over_${MAX_MODULE_BYTES}_bytes`
  return null
}

/** Whether `part` is a run of whole lines of `whole`, blank edges aside. */
export function isQuotedFrom(part: string, whole: string): boolean {
  const inner = part.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd()
  return inner !== '' && `\n${whole}\n`.includes(`\n${inner}\n`)
}
