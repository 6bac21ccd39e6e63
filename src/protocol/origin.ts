import { z } from 'zod'

/**
 * The one spelling of an API's address: scheme, host and port without a trailing slash, path,
 * query or default port. Undefined when the text is not an http(s) address.
 */
export function normaliseOrigin(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : undefined
}

/** An origin in its one spelling; the audience of everything that is signed for an API. */
export const originSchema = z
  .string()
  .max(300)
  .refine((text) => normaliseOrigin(text) === text, 'is not an origin without trailing slash')
