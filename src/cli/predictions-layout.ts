import type { ByteSource } from './predictions-bytes.ts'

/** A stretch of text and the line on which it begins, counted from 1. */
export type Span = { offset: number; length: number; line: number }
/** `isNested`: the value is a list or a dict itself. */
export type Member = { key: Span | null; value: Span; isNested: boolean }

/**
 * How a JSON text is laid out at its outermost level. `broken`: its brackets do not close;
 * `several`: more text follows the first value, as in a file with one value a line.
 */
export type Layout =
  | { kind: 'list' | 'dict'; members: Member[]; whole: Span }
  | { kind: 'broken' | 'several' | 'other' }

const LF = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_DICT = 0x7b
const CLOSE_DICT = 0x7d

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

/**
 * Finds the members of a list or a dict without reading them, so that a file of any size takes
 * little memory. Whether each member is JSON shows when it is read.
 */
export function layOut(source: ByteSource): Layout {
  const walk = new Walk(source.start)
  for (const piece of source.pieces(source.start)) {
    for (const byte of piece) {
      const layout = walk.take(byte)
      if (layout !== null) return layout
    }
  }
  return walk.end()
}

class Walk {
  readonly #members: Member[] = []
  #at: number
  #line = 1
  #depth = 0
  #isInText = false
  #isEscaped = false
  #kind: 'list' | 'dict' | null = null
  #whole: Span | null = null
  #key: Span | null = null
  #isNested = false
  /** First and last byte that is not blank, of what is being read at depth 1. */
  #from: Span | null = null
  #until = 0

  constructor(start: number) {
    this.#at = start
  }

  /** The layout, as soon as one more byte decides it. */
  take(byte: number): Layout | null {
    const at = this.#at++
    if (this.#isInText) return this.#takeText(byte)
    if (byte === LF) this.#line += 1
    if (isBlank(byte)) return null
    if (this.#kind === null) return this.#begin(byte, at)
    if (this.#depth === 0) return { kind: 'several' }
    return this.#takeInside(byte, at)
  }

  end(): Layout {
    if (this.#kind === null) return { kind: 'other' }
    if (this.#depth > 0 || this.#whole === null) return { kind: 'broken' }
    return { kind: this.#kind, members: this.#members, whole: this.#whole }
  }

  #begin(byte: number, at: number): Layout | null {
    if (byte !== OPEN_LIST && byte !== OPEN_DICT) return { kind: 'other' }
    this.#kind = byte === OPEN_LIST ? 'list' : 'dict'
    this.#depth = 1
    this.#whole = { offset: at, length: 0, line: this.#line }
    return null
  }

  #takeText(byte: number): null {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) {
      this.#isInText = false
      this.#until = this.#at
    }
    return null
  }

  #takeInside(byte: number, at: number): Layout | null {
    const isOutermost = this.#depth === 1
    if (byte === CLOSE_LIST || byte === CLOSE_DICT) {
      this.#depth -= 1
      if (isOutermost) return this.#close(byte, at)
    } else if (byte === OPEN_LIST || byte === OPEN_DICT) this.#depth += 1
    else if (byte === QUOTE) this.#isInText = true
    else if (isOutermost && byte === COMMA) return this.#member(true)
    else if (isOutermost && byte === COLON) return this.#endKey()
    if (this.#from === null) {
      this.#from = { offset: at, length: 0, line: this.#line }
      this.#isNested = byte === OPEN_LIST || byte === OPEN_DICT
    }
    this.#until = this.#at
    return null
  }

  #endKey(): Layout | null {
    if (this.#kind !== 'dict' || this.#key !== null || this.#from === null) {
      return { kind: 'broken' }
    }
    this.#key = this.#span(this.#from)
    this.#from = null
    return null
  }

  #member(isFollowed: boolean): Layout | null {
    const isAbsent = this.#from === null && this.#key === null
    if (isAbsent && !isFollowed && this.#members.length === 0) return null
    if (this.#from === null || (this.#kind === 'dict') !== (this.#key !== null)) {
      return { kind: 'broken' }
    }
    const value = this.#span(this.#from)
    this.#members.push({ key: this.#key, value, isNested: this.#isNested })
    this.#key = null
    this.#from = null
    return null
  }

  #close(byte: number, at: number): Layout | null {
    if (byte !== (this.#kind === 'list' ? CLOSE_LIST : CLOSE_DICT)) return { kind: 'broken' }
    const broken = this.#member(false)
    if (this.#whole !== null) {
      this.#whole = { ...this.#whole, length: at + 1 - this.#whole.offset }
    }
    return broken
  }

  #span(from: Span): Span {
    return { ...from, length: this.#until - from.offset }
  }
}
