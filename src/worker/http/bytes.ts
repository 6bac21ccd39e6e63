import type { HonoRequest } from 'hono'
import { LIMITS } from '../../protocol/limits.ts'
import { openBody, readAll } from '../body.ts'
import { refuse } from './refusals.ts'

const known = new WeakMap<HonoRequest, Uint8Array>()

/**
 * The bytes of a request's body, read once under a cap. The request goes on with exactly these
 * bytes: what is validated later is what was measured and hashed here.
 */
export async function bodyBytes(
  req: HonoRequest,
  maxBytes: number = LIMITS.requestBytes,
): Promise<Uint8Array> {
  const read = known.get(req)
  if (read !== undefined) return read
  const body = openBody(req.raw.body, 'identity', { wireBytes: maxBytes, bytes: maxBytes })
  try {
    if (Number(req.header('content-length') ?? '0') > maxBytes) {
      refuse('body-too-large', `at most ${maxBytes} bytes`)
    }
    const bytes = await readAll(body)
    known.set(req, bytes)
    const { method, headers, url } = req.raw
    // A request of a method without a body cannot be made anew with one, and nobody reads it.
    if (bytes.byteLength > 0 && method !== 'GET' && method !== 'HEAD') {
      req.raw = new Request(url, { method, headers, body: bytes })
    }
    return bytes
  } catch (error) {
    // An early reply to a body that is still being sent can be lost on the way.
    await body.drain()
    throw error
  }
}
