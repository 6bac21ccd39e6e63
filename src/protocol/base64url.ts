const ALPHABET = /^[A-Za-z0-9_-]*$/

// String.fromCharCode takes its arguments from the stack.
const CHUNK = 0x8000

/** Bytes as base64url without padding (RFC 7515). */
export function toBase64url(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK))
  }
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Bytes of base64url text; undefined for padding, other alphabets and left-over bits. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!ALPHABET.test(text) || text.length % 4 === 1) return undefined
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))
  // Left-over bits give one value many spellings; the round trip admits one.
  return toBase64url(bytes) === text ? bytes : undefined
}
