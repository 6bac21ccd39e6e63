import { createRoute, z } from '@hono/zod-openapi'
import { epochDraftSchema, epochListSchema, epochViewSchema } from '../../../protocol/epoch.ts'
import { epochIdSchema } from '../../../protocol/ids.ts'
import { LIMITS } from '../../../protocol/limits.ts'
import { MEDIA, ROUTES } from '../../../protocol/routes.ts'
import { cardOf } from '../../card.ts'
import { viewEpoch, viewEpochs } from '../../registry/epoch-view.ts'
import { publishEpoch } from '../../registry/publish-epoch.ts'
import { storePrompts } from '../../registry/store-prompts.ts'
import { blobKeys } from '../../store/blobs.ts'
import { findEpoch } from '../../store/epochs.ts'
import { strictJson } from '../json.ts'
import { byOperator, json, jsonBody, refusals } from '../openapi.ts'
import { operator } from '../operator.ts'
import { orRefuse, refuse } from '../refusals.ts'
import { newRouter } from '../router.ts'
import { streamed } from '../stream.ts'

const params = z.object({ id: epochIdSchema })
const view = epochViewSchema.meta({ id: 'Epoch' })
const ndjson = { [MEDIA.ndjson]: { schema: z.string().meta({ description: 'One task a line' }) } }

const list = createRoute({
  method: 'get',
  path: ROUTES.epochs,
  summary: 'All epochs, newest first',
  responses: { 200: json(epochListSchema.meta({ id: 'Epochs' }), 'The epochs'), ...refusals() },
})

const read = createRoute({
  method: 'get',
  path: ROUTES.epoch,
  summary: 'The card of an epoch, and where it stands',
  request: { params },
  responses: { 200: json(view, 'The epoch'), ...refusals('not-found') },
})

const prompts = createRoute({
  method: 'get',
  path: ROUTES.prompts,
  summary: 'The prompts of an epoch: prompts.jsonl, one task a line',
  request: { params },
  responses: {
    200: { description: 'The prompts; the ETag is their SHA-256', content: ndjson },
    304: { description: 'The client holds them already' },
    ...refusals('not-found', 'epoch-not-open'),
  },
})

const publish = createRoute({
  method: 'put',
  path: ROUTES.epoch,
  summary: 'Store an epoch (operator)',
  security: byOperator,
  middleware: [operator(), strictJson(LIMITS.drawingBytes)] as const,
  request: { params, body: jsonBody(epochDraftSchema.meta({ id: 'EpochDraft' })) },
  responses: {
    200: json(view, 'The epoch was stored before, with the same content'),
    201: json(view, 'The epoch is stored'),
    ...refusals('unauthorized', 'json-invalid', 'body-invalid', 'body-too-large', 'epoch-exists'),
  },
})

const upload = createRoute({
  method: 'put',
  path: ROUTES.prompts,
  summary: 'Store the prompts of an epoch (operator)',
  security: byOperator,
  middleware: [streamed(LIMITS.promptsBytes), operator()] as const,
  request: { params, body: { required: true, content: ndjson } },
  responses: {
    200: json(view, 'The prompts are stored'),
    ...refusals(
      'unauthorized',
      'not-found',
      'prompts-mismatch',
      'body-too-large',
      'body-invalid',
      'media-unsupported',
    ),
  },
})

/** Whether a client holds the bytes of a tag. A proxy that packs an answer makes its tag a weak one. */
const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))

export const epochs = newRouter()
  .openapi(list, async (c) => c.json(await viewEpochs(c.var.deps), 200))
  .openapi(read, async (c) => {
    const epoch = await viewEpoch(c.var.deps, c.req.valid('param').id)
    return c.json(epoch ?? refuse('not-found'), 200)
  })
  .openapi(prompts, async (c) => {
    const { deps } = c.var
    const epoch = (await findEpoch(deps.db, c.req.valid('param').id)) ?? refuse('not-found')
    if (epoch.promptsStoredAt === null || deps.now() < epoch.opensAt) refuse('epoch-not-open')
    const { sha256, bytes } = cardOf(epoch).prompts
    const etag = `"${sha256}"`
    const headers = { etag, 'cache-control': 'public, max-age=3600', 'content-type': MEDIA.ndjson }
    if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304, headers)
    const blob = await deps.blobs.get(blobKeys.prompts(epoch.id, sha256))
    if (blob === null) throw new Error('the prompts of an epoch are gone')
    return c.body(blob.body, 200, { ...headers, 'content-length': String(bytes) })
  })
  .openapi(publish, async (c) => {
    const { deps } = c.var
    const { id } = c.req.valid('param')
    const { created } = orRefuse(await publishEpoch(deps, id, c.req.valid('json')))
    const epoch = (await viewEpoch(deps, id)) ?? refuse('not-found')
    return created ? c.json(epoch, 201) : c.json(epoch, 200)
  })
  .openapi(upload, async (c) => {
    const { deps } = c.var
    const { id } = c.req.valid('param')
    const epoch = (await findEpoch(deps.db, id)) ?? refuse('not-found')
    orRefuse(await storePrompts(deps, epoch, c.var.upload))
    return c.json((await viewEpoch(deps, id)) ?? refuse('not-found'), 200)
  })
