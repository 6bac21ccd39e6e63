import { fromBase64url } from './base64url.ts'
import { sha256Hex } from './digest.ts'

/** What a purpose key of an epoch is used for. */
export type KeyPurpose = 'split' | 'draw' | 'inputs' | 'controls'

/** SHA-256("failmap/commit/v1" || epoch || root): published before the epoch opens. */
export function commitmentOf(epoch: string, root: Uint8Array): Promise<string> {
  const prefix = new TextEncoder().encode(`failmap/commit/v1${epoch}`)
  const bytes = new Uint8Array(prefix.length + root.length)
  bytes.set(prefix)
  bytes.set(root, prefix.length)
  return sha256Hex(bytes)
}

/** HKDF-SHA256 of the root key (RFC 5869), empty salt, info `failmap/v1/<epoch>/<purpose>`. */
export async function purposeKey(
  root: Uint8Array,
  epoch: string,
  purpose: KeyPurpose,
): Promise<Uint8Array<ArrayBuffer>> {
  const material = await crypto.subtle.importKey('raw', Uint8Array.from(root), 'HKDF', false, [
    'deriveBits',
  ])
  const info = new TextEncoder().encode(`failmap/v1/${epoch}/${purpose}`)
  const salt = new Uint8Array(0)
  const algorithm = { name: 'HKDF', hash: 'SHA-256', salt, info }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, material, 256))
}

/** The 32 bytes of a root key in base64url, or undefined when the text is not one. */
export function readRootKey(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = fromBase64url(text)
  return bytes?.length === 32 ? bytes : undefined
}
