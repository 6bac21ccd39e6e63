import { createMiddleware } from 'hono/factory'
import { openBody } from '../body.ts'
import type { StreamEnv } from './context.ts'
import { isNdjson } from './json.ts'
import { refuse } from './refusals.ts'

/**
 * Opens the body as a stream under a cap and reads what is left of it before the answer goes out: a
 * client that is still writing would otherwise see a broken connection instead of the answer. Stands
 * before the guards, so that their refusals arrive too.
 */
export const streamed = (maxBytes: number) =>
  createMiddleware<StreamEnv>(async function streamed(c, next) {
    const coding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase()
    const isKnown = coding === 'identity' || coding === 'gzip'
    const upload = openBody(c.req.raw.body, isKnown ? coding : 'identity', {
      wireBytes: maxBytes,
      bytes: maxBytes,
    })
    c.set('upload', upload)
    try {
      if (!isKnown) refuse('media-unsupported', 'content-encoding is identity or gzip')
      if (!isNdjson(c.req.header('content-type'))) {
        refuse('media-unsupported', 'send application/x-ndjson')
      }
      if (Number(c.req.header('content-length') ?? '0') > maxBytes) {
        refuse('body-too-large', `at most ${maxBytes} bytes`)
      }
      await next()
    } finally {
      await upload.drain()
    }
  })
