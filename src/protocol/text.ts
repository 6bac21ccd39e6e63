import { z } from 'zod'
import { LIMITS } from './limits.ts'

// Line breaks and controls break tables and logs, bidi controls reorder what a reader sees, and what
// cannot be seen makes two names look like one. Joiners and variation selectors belong to scripts.
const HIDDEN_CHARACTERS =
  /[\p{Cc}\p{Zl}\p{Zp}]|\p{Bidi_Control}|(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/u
const VISIBLE_CHARACTER = /[\p{L}\p{N}\p{P}\p{S}]/u

/** One line of text that is shown to people; still escaped wherever it is printed. */
export const displayTextSchema = (maxCharacters: number) =>
  z
    .string()
    .min(1)
    .max(maxCharacters)
    .refine((text) => text.isWellFormed(), 'has a lone surrogate')
    .refine((text) => !HIDDEN_CHARACTERS.test(text), 'has a control, direction or unseen character')
    .refine((text) => VISIBLE_CHARACTER.test(text), 'has no visible character')
    .refine((text) => text.trim() === text, 'starts or ends with a space')

/** Name of an organisation; `org_` is kept for ids. */
export const nameSchema = displayTextSchema(LIMITS.nameCharacters).refine(
  (name) => !name.startsWith('org_'),
  'must not look like an id',
)

/** Title of an epoch. */
export const titleSchema = displayTextSchema(LIMITS.titleCharacters)

/** Text that may hold lines, within a size in UTF-8 bytes; lone surrogates have no UTF-8 form. */
export const textSchema = (maxBytes: number) =>
  z
    .string()
    .max(maxBytes)
    .refine((text) => text.isWellFormed(), 'has a lone surrogate')
    .refine(
      (text) => text.length * 3 <= maxBytes || utf8Length(text) <= maxBytes,
      `is longer than ${maxBytes} bytes`,
    )

/** Size of a text in UTF-8 bytes, without encoding it. */
export function utf8Length(text: string): number {
  let bytes = 0
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4
  }
  return bytes
}
