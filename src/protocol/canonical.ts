import canonicalize from 'canonicalize'

/**
 * RFC 8785 text of plain JSON data: one spelling, so that equal values have equal bytes.
 * Throws a TypeError for anything that is not JSON (undefined, NaN, lone surrogates, class
 * instances): such a value here is a bug of ours, never a stranger's input.
 */
export function canonicalJson(value: unknown): string {
  requireJson(value, '')
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('not JSON')
  return text
}

/** UTF-8 bytes of the RFC 8785 text. */
export const canonicalBytes = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(canonicalJson(value))

// The library drops undefined members and writes lone surrogates as escapes; both would hide a bug.
function requireJson(value: unknown, pointer: string): void {
  if (value === null || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value === 'string' && value.isWellFormed()) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) requireJson(item, `${pointer}/${index}`)
    return
  }
  if (typeof value === 'object' && isPlain(value)) {
    for (const [key, member] of Object.entries(value)) {
      requireJson(key, pointer)
      requireJson(member, `${pointer}/${key}`)
    }
    return
  }
  throw new TypeError(`not JSON at ${pointer === '' ? 'the top' : pointer}`)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
