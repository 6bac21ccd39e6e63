import { canonicalBytes } from './canonical.ts'

const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** SHA-256 of bytes, or of a text's UTF-8 bytes. */
export async function sha256(data: Uint8Array | string): Promise<Uint8Array<ArrayBuffer>> {
  // A copy, since WebCrypto takes no view over shared memory and the type cannot tell.
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : Uint8Array.from(data)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** SHA-256 in lower-case hex. */
export const sha256Hex = async (data: Uint8Array | string): Promise<string> =>
  toHex(await sha256(data))

/** SHA-256 in hex of the canonical JSON of a value; names cards, drawings and manifests. */
export const canonicalSha256 = (value: unknown): Promise<string> => sha256Hex(canonicalBytes(value))

/** Digest of no bytes: the `body` claim of a request without a body. */
export const EMPTY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
