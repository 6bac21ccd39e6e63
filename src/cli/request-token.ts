import { toBase64url } from '../protocol/base64url.ts'
import { type Signer, signRequest } from '../protocol/jws.ts'

const LIFETIME_SECONDS = 240

export type TokenWish = {
  signer: Signer
  origin: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path with query. */
  target: string
  bodySha256: string
  nowSeconds: number
  /** At least 12 random bytes. */
  jti: Uint8Array
}

/** A token for one request: one method, one path, one body, once. */
export function requestToken(wish: TokenWish): Promise<string> {
  return signRequest(
    {
      iss: wish.signer.keyId,
      aud: wish.origin,
      htm: wish.method,
      htu: wish.target,
      body: wish.bodySha256,
      iat: wish.nowSeconds,
      exp: wish.nowSeconds + LIFETIME_SECONDS,
      jti: toBase64url(wish.jti),
    },
    wish.signer,
  )
}
