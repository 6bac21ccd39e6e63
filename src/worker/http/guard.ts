import type { HonoRequest } from 'hono'
import { createMiddleware } from 'hono/factory'
import { readKeyId } from '../../protocol/compact.ts'
import { sha256Hex } from '../../protocol/digest.ts'
import { checkBody, openRequest } from '../../protocol/jws.ts'
import { readPublicJwk } from '../../protocol/keys.ts'
import { checkKeyLife, replayUntil } from '../../protocol/lifetime.ts'
import { PROBLEMS } from '../../protocol/problem.ts'
import { findKey, lifeOf } from '../store/keys.ts'
import { bodyBytes } from './bytes.ts'
import type { AppVariables, MaybeSignedEnv, SignedEnv, SignedStreamEnv } from './context.ts'
import { orRefuse, refuse } from './refusals.ts'

/** What one organisation is told is kept by no cache on the way, nor by a browser. */
const PRIVATE = 'no-store'

const BEARER = /^Bearer ([A-Za-z0-9_.-]+)$/

/**
 * Lets a request through that a registered key has signed for this method, path and body, once.
 * Order: size, signature, shape, clock, key state, body, replay. A stranger learns no more than
 * that the token is not valid here; only the clock and a revoked key say what they are.
 */
export const signed = () =>
  createMiddleware<SignedEnv>(async function signed(c, next) {
    const { caller } = await openToken(c.var, c.req, await bodyBytes(c.req))
    c.set('caller', caller)
    c.header('cache-control', PRIVATE)
    await next()
  })

/**
 * The same for a stream, whose digest is known at its end: the handler compares the digest that the
 * token names with the one that it counts.
 */
export const signedStream = () =>
  createMiddleware<SignedStreamEnv>(async function signedStream(c, next) {
    const { caller, claims } = await openToken(c.var, c.req)
    c.set('caller', caller)
    c.set('bodySha256', claims.body)
    c.header('cache-control', PRIVATE)
    await next()
  })

/** `signed` where the request may also come from a stranger. */
export const signedIfToken = () =>
  createMiddleware<MaybeSignedEnv>(async function signedIfToken(c, next) {
    if (c.req.header('authorization') === undefined) {
      await next()
      return
    }
    const { caller } = await openToken(c.var, c.req, await bodyBytes(c.req))
    c.set('caller', caller)
    c.header('cache-control', PRIVATE)
    await next()
  })

async function openToken({ deps, origin }: AppVariables, req: HonoRequest, body?: Uint8Array) {
  const header = req.header('authorization') ?? refuse('token-missing')
  const [, token] = BEARER.exec(header) ?? []
  if (token === undefined) refuse('token-invalid')
  const keyId = readKeyId(token, 'request') ?? refuse('token-invalid')
  const row = (await findKey(deps.db, keyId)) ?? refuse('token-invalid')
  const key = orRefuse(readPublicJwk(JSON.parse(row.jwk)))

  const nowSeconds = Math.floor(deps.now() / 1000)
  const { pathname, search } = new URL(req.url)
  const target = { origin, nowSeconds, method: req.method, target: pathname + search }
  const opened = await openRequest(token, key, target)
  // The shape of a token is nobody's body: a claim that is missing is a token that is not valid.
  if (!opened.ok && PROBLEMS[opened.error.slug].status !== 401) {
    const [fault] = opened.error.errors ?? []
    refuse('token-invalid', fault && `${fault.pointer} ${fault.detail}`)
  }
  const claims = orRefuse(opened)
  if (claims.iss !== row.id) refuse('token-invalid')
  orRefuse(checkKeyLife(lifeOf(row), claims.iat))
  // Before the jti is spent: whoever changes a body on the way must not use up its sender's token.
  if (body !== undefined) orRefuse(checkBody(claims, await sha256Hex(body)))
  const isFirst = await deps.tokens.spend(row.id, claims.jti, replayUntil(claims), nowSeconds)
  if (!isFirst) refuse('token-replayed')
  return { caller: { organisation: row.organisation, key: row.id }, claims }
}
