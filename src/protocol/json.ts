import { LIMITS } from './limits.ts'
import { err, ok, type Result } from './result.ts'

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | { [key: string]: JsonValue }

/** Why a text is not strict JSON, and the UTF-16 offset where that shows. */
export type JsonFault = { reason: string; offset: number }

export type JsonLimits = { depth: number; values: number }

// Assigning these keys, or merging an object that holds them, can reach Object.prototype.
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// Seventeen digits, a sign, a point and an exponent need 25; the rest is room for zeros.
const LONGEST_NUMBER = 40

const LITERALS: readonly (readonly [string, JsonValue])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/** Carries a fault out of the nested reading functions; never leaves this file. */
class Stop extends Error {
  readonly fault: JsonFault
  constructor(reason: string, offset: number) {
    super(reason)
    this.fault = { reason, offset }
  }
}

/**
 * Reads JSON as RFC 8259 with the ambiguities refused: duplicate keys, keys that reach prototypes,
 * lone surrogates, byte order marks, numbers that a double cannot hold exactly, deep nesting.
 * Two readers of the same bytes can then never disagree about their meaning.
 */
export function readJson(
  source: string | Uint8Array,
  limits: JsonLimits = { depth: LIMITS.jsonDepth, values: LIMITS.jsonValues },
): Result<JsonValue, JsonFault> {
  const text = typeof source === 'string' ? source : decodeUtf8(source)
  if (text === undefined) return err({ reason: 'not UTF-8', offset: 0 })
  try {
    const reader = new Reader(text, limits)
    return ok(reader.document())
  } catch (stop) {
    if (stop instanceof Stop) return err(stop.fault)
    throw stop
  }
}

/** Strict UTF-8; undefined when the bytes are not UTF-8. A byte order mark stays in the text. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

class Reader {
  private readonly text: string
  private readonly limits: JsonLimits
  private at = 0
  private values = 0

  constructor(text: string, limits: JsonLimits) {
    this.text = text
    this.limits = limits
  }

  document(): JsonValue {
    this.space()
    const value = this.value(0)
    this.space()
    if (this.at < this.text.length) throw new Stop('text after the value', this.at)
    return value
  }

  private value(depth: number): JsonValue {
    if (depth > this.limits.depth) throw new Stop('nested too deep', this.at)
    this.values += 1
    if (this.values > this.limits.values) throw new Stop('too many values', this.at)
    const next = this.text[this.at]
    if (next === '{') return this.object(depth)
    if (next === '[') return this.array(depth)
    if (next === '"') return this.string()
    for (const [word, value] of LITERALS) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length
        return value
      }
    }
    return this.number()
  }

  private object(depth: number): JsonValue {
    const members: { [key: string]: JsonValue } = {}
    this.at += 1
    this.space()
    if (this.take('}')) return members
    do {
      this.space()
      const start = this.at
      if (this.text[start] !== '"') throw new Stop('a key is missing', start)
      const key = this.string()
      if (FORBIDDEN_KEYS.has(key)) throw new Stop('forbidden key', start)
      if (Object.hasOwn(members, key)) throw new Stop('duplicate key', start)
      this.space()
      this.expect(':')
      this.space()
      members[key] = this.value(depth + 1)
      this.space()
    } while (this.take(','))
    this.expect('}')
    return members
  }

  private array(depth: number): JsonValue {
    const items: JsonValue[] = []
    this.at += 1
    this.space()
    if (this.take(']')) return items
    do {
      this.space()
      items.push(this.value(depth + 1))
      this.space()
    } while (this.take(','))
    this.expect(']')
    return items
  }

  private string(): string {
    const start = this.at
    let escaped = false
    let end = start + 1
    for (;;) {
      const code = this.text.charCodeAt(end)
      if (code === 0x22) break
      if (Number.isNaN(code)) throw new Stop('unterminated string', start)
      if (code < 0x20) throw new Stop('control character in a string', end)
      if (code === 0x5c) {
        escaped = true
        end += 1
      }
      end += 1
    }
    this.at = end + 1
    const value = escaped ? this.unescape(start) : this.text.slice(start + 1, end)
    if (!value.isWellFormed()) throw new Stop('lone surrogate', start)
    return value
  }

  private unescape(start: number): string {
    try {
      return String(JSON.parse(this.text.slice(start, this.at)))
    } catch {
      throw new Stop('bad escape in a string', start)
    }
  }

  private number(): number {
    const start = this.at
    NUMBER.lastIndex = start
    const [token] = NUMBER.exec(this.text) ?? []
    if (token === undefined) throw new Stop('a value is missing', start)
    this.at = start + token.length
    const value = Number(token)
    if (!isExact(token, value)) throw new Stop('number out of exact range', start)
    return value
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.at += 1
    }
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at += 1
    return true
  }

  private expect(character: string): void {
    if (!this.take(character)) throw new Stop(`${character} is missing`, this.at)
  }
}

/** Whether a double keeps what the digits say: no overflow, underflow, sign of zero, lost digit. */
function isExact(token: string, value: number): boolean {
  if (token.length > LONGEST_NUMBER || !Number.isFinite(value) || Object.is(value, -0)) return false
  const [mantissa = '', exponent = '0'] = token.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = BigInt(whole + fraction)
  if (digits === 0n || value === 0) return digits === 0n && value === 0
  if (!Number.isInteger(value)) return String(digits).replace(/^-|0+$/g, '').length <= 17
  if (!Number.isSafeInteger(value)) return false
  const scale = Number(exponent) - fraction.length
  return scale >= 0
    ? digits * 10n ** BigInt(scale) === BigInt(value)
    : digits === BigInt(value) * 10n ** BigInt(-scale)
}
