import { createRoute } from '@hono/zod-openapi'
import { healthSchema } from '../../../protocol/health.ts'
import { jwksSchema } from '../../../protocol/keys.ts'
import { ROUTES } from '../../../protocol/routes.ts'
import { readHealth } from '../../health.ts'
import { publicKeys } from '../../signer.ts'
import { json, refusals } from '../openapi.ts'
import { newRouter } from '../router.ts'

const health = createRoute({
  method: 'get',
  path: ROUTES.health,
  summary: 'Versions, the clock, and how the sandbox confines patches',
  responses: { 200: json(healthSchema.meta({ id: 'Health' }), 'The service runs'), ...refusals() },
})

const jwks = createRoute({
  method: 'get',
  path: ROUTES.jwks,
  summary: 'The public keys that reports are signed with',
  responses: { 200: json(jwksSchema.meta({ id: 'Jwks' }), 'The keys'), ...refusals() },
})

export const service = newRouter()
  .openapi(health, async (c) => {
    c.header('cache-control', 'no-store')
    return c.json(await readHealth(c.var.deps), 200)
  })
  .openapi(jwks, async (c) => {
    c.header('cache-control', 'public, max-age=300')
    return c.json(await publicKeys(c.var.deps), 200)
  })
