import { createRoute, z } from '@hono/zod-openapi'
import { keyIdSchema } from '../../../protocol/ids.ts'
import { ROUTES } from '../../../protocol/routes.ts'
import { registeredKeySchema, registerKeySchema } from '../../../protocol/submission.ts'
import { registerKey } from '../../registry/register-key.ts'
import { revokeKey } from '../../store/keys.ts'
import { signed, signedIfToken } from '../guard.ts'
import { strictJson } from '../json.ts'
import { bySubmitter, json, jsonBody, refusals } from '../openapi.ts'
import { registrationRate } from '../rate.ts'
import { orRefuse, refuse } from '../refusals.ts'
import { newRouter } from '../router.ts'

const registered = registeredKeySchema.meta({ id: 'RegisteredKey' })

const register = createRoute({
  method: 'post',
  path: ROUTES.keys,
  summary: 'Register a public key',
  description:
    'Without a token the key founds an organisation; with one it joins the organisation of the token. The proof is a JWS by the private half.',
  security: [{}, ...bySubmitter],
  middleware: [registrationRate(), signedIfToken(), strictJson()] as const,
  request: { body: jsonBody(registerKeySchema.meta({ id: 'RegisterKey' })) },
  responses: {
    200: json(registered, 'The key was registered before, in just this way'),
    201: json(registered, 'The key is registered'),
    ...refusals(
      'json-invalid',
      'body-invalid',
      'body-too-large',
      'media-unsupported',
      'key-invalid',
      'key-taken',
      'signature-invalid',
      'clock-skew',
      'token-invalid',
      'token-replayed',
      'rate-limited',
    ),
  },
})

const revoke = createRoute({
  method: 'delete',
  path: ROUTES.key,
  summary: 'Revoke a key of your organisation',
  security: bySubmitter,
  middleware: [signed()] as const,
  request: { params: z.object({ id: keyIdSchema }) },
  responses: {
    200: json(registered, 'The key is revoked; it signs nothing any more'),
    ...refusals('token-missing', 'token-invalid', 'clock-skew', 'key-revoked', 'not-found'),
  },
})

export const keys = newRouter()
  .openapi(register, async (c) => {
    const { deps, origin, caller } = c.var
    const request = c.req.valid('json')
    const { key, created } = orRefuse(
      await registerKey(deps, request, caller?.organisation, origin),
    )
    return created ? c.json(key, 201) : c.json(key, 200)
  })
  .openapi(revoke, async (c) => {
    const { deps, caller } = c.var
    const { id } = c.req.valid('param')
    const row = await revokeKey(deps.db, caller.organisation, id, deps.now())
    if (row === undefined) refuse('not-found')
    return c.json({ organisation: row.organisation, key: row.id }, 200)
  })
