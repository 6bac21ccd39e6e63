import { createMiddleware } from 'hono/factory'
import { readJson } from '../../protocol/json.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { MEDIA } from '../../protocol/routes.ts'
import { bodyBytes } from './bytes.ts'
import type { AppEnv } from './context.ts'
import { refuse } from './refusals.ts'

/** The media type of a content-type header, without parameters. */
const mediaType = (header: string | undefined): string =>
  (header ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

/**
 * Lets strict JSON through and nothing else: hono's own reader keeps the last of two equal keys,
 * where another reader keeps the first. The shape is checked after this, on the same bytes.
 */
export const strictJson = (maxBytes: number = LIMITS.requestBytes) =>
  createMiddleware<AppEnv>(async function strictJson(c, next) {
    if (mediaType(c.req.header('content-type')) !== MEDIA.json) {
      await bodyBytes(c.req, maxBytes)
      refuse('media-unsupported', `send ${MEDIA.json}`)
    }
    if ((c.req.header('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity') {
      await bodyBytes(c.req, maxBytes)
      refuse('media-unsupported', 'only patches may be packed; send this body as it is')
    }
    const json = readJson(await bodyBytes(c.req, maxBytes))
    if (!json.ok) {
      refuse('json-invalid', `${json.error.reason} at character ${json.error.offset}`)
    }
    await next()
  })

/** Refuses a body of another media type than NDJSON before a byte of it is used. */
export const isNdjson = (header: string | undefined): boolean => mediaType(header) === MEDIA.ndjson
