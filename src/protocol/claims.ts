import { z } from 'zod'
import { jtiSchema, keyIdSchema, sha256Schema } from './ids.ts'
import { secondsSchema } from './instant.ts'
import { originSchema } from './origin.ts'

/** Payload of a request token: one method, one path with query, one body, once. */
export const requestClaimsSchema = z.strictObject({
  iss: keyIdSchema,
  aud: originSchema,
  htm: z.enum(['GET', 'POST', 'PUT', 'DELETE']),
  htu: z.string().startsWith('/').max(2000),
  /** SHA-256 of the exact body bytes; of no bytes where there is no body. */
  body: sha256Schema,
  iat: secondsSchema,
  exp: secondsSchema,
  jti: jtiSchema,
})
export type RequestClaims = z.infer<typeof requestClaimsSchema>

/**
 * Payload of a proof of possession. `organisation` is the new organisation's name, the id of the
 * organisation that the key joins, or null for one without a name: a proof taken in transit cannot
 * put the key into somebody else's organisation.
 */
export const proofClaimsSchema = z.strictObject({
  iss: keyIdSchema,
  aud: originSchema,
  organisation: z.string().max(200).nullable(),
  iat: secondsSchema,
  exp: secondsSchema,
  jti: jtiSchema,
})
export type ProofClaims = z.infer<typeof proofClaimsSchema>
