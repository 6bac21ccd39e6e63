import { toBase64url } from '../../src/protocol/base64url.ts'
import type { Signer } from '../../src/protocol/jws.ts'

/** A value or a text as one part of a JWS. */
export const encode = (value: unknown): string =>
  toBase64url(new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)))

/** Signs arbitrary header and payload bytes, as a stranger with a registered key could. */
export async function forge(header: unknown, payload: unknown, signer: Signer): Promise<string> {
  const input = `${encode(header)}.${encode(payload)}`
  const signature = await crypto.subtle.sign('Ed25519', signer.key, new TextEncoder().encode(input))
  return `${input}.${toBase64url(new Uint8Array(signature))}`
}
