import { createRoute, z } from '@hono/zod-openapi'
import { submissionIdSchema } from '../../../protocol/ids.ts'
import { LIMITS } from '../../../protocol/limits.ts'
import { MEDIA, ROUTES } from '../../../protocol/routes.ts'
import {
  openedSubmissionSchema,
  openSubmissionSchema,
  submissionListSchema,
  submissionViewSchema,
} from '../../../protocol/submission.ts'
import { openSubmission, withdraw } from '../../stages/intake.ts'
import { receive } from '../../stages/receive.ts'
import { findOwned } from '../../store/submissions.ts'
import { readOwn, readOwnList, viewOpened } from '../../submission-view.ts'
import { signed, signedStream } from '../guard.ts'
import { strictJson } from '../json.ts'
import { bySubmitter, json, jsonBody, refusals } from '../openapi.ts'
import { submissionRate } from '../rate.ts'
import { orRefuse, refuse } from '../refusals.ts'
import { newRouter } from '../router.ts'
import { streamed } from '../stream.ts'

const params = z.object({ id: submissionIdSchema })
const opened = openedSubmissionSchema.meta({ id: 'OpenedSubmission' })
const view = submissionViewSchema.meta({ id: 'Submission' })
const token = [
  'token-missing',
  'token-invalid',
  'token-replayed',
  'clock-skew',
  'key-revoked',
] as const

const open = createRoute({
  method: 'post',
  path: ROUTES.submissions,
  summary: 'Open a submission with a signed manifest',
  description: 'The same manifest is the same submission, however often it is sent.',
  security: bySubmitter,
  middleware: [signed(), submissionRate(), strictJson()] as const,
  request: { body: jsonBody(openSubmissionSchema.meta({ id: 'OpenSubmission' })) },
  responses: {
    200: json(opened, 'The submission exists'),
    201: json(opened, 'The submission is open; send its patches'),
    ...refusals(
      ...token,
      'rate-limited',
      'json-invalid',
      'body-invalid',
      'body-too-large',
      'media-unsupported',
      'signature-invalid',
      'not-found',
      'epoch-not-open',
      'epoch-closed',
      'epoch-mismatch',
      'patches-mismatch',
      'submission-conflict',
      'budget-spent',
    ),
  },
})

const patches = createRoute({
  method: 'put',
  path: ROUTES.patches,
  summary: 'Send the patches: one NDJSON line per task in the order of the prompts',
  description:
    'One stream, identity or gzip. The body digest of the token is the one of the manifest. A broken upload can be repeated; a finished one is not read again.',
  security: bySubmitter,
  middleware: [streamed(LIMITS.patchesBytes), signedStream()] as const,
  request: {
    params,
    body: {
      required: true,
      content: { [MEDIA.ndjson]: { schema: z.string().meta({ description: 'One patch a line' }) } },
    },
  },
  responses: {
    200: json(opened, 'The patches are received'),
    ...refusals(
      ...token,
      'not-found',
      'body-incomplete',
      'body-invalid',
      'body-too-large',
      'media-unsupported',
      'patches-mismatch',
      'patches-invalid',
      'submission-state',
      'epoch-closed',
    ),
  },
})

const read = createRoute({
  method: 'get',
  path: ROUTES.submission,
  summary: 'Where a submission stands',
  security: bySubmitter,
  middleware: [signed()] as const,
  request: { params },
  responses: { 200: json(view, 'The submission'), ...refusals(...token, 'not-found') },
})

const list = createRoute({
  method: 'get',
  path: ROUTES.submissions,
  summary: 'The newest 100 submissions of your organisation',
  security: bySubmitter,
  middleware: [signed()] as const,
  responses: {
    200: json(submissionListSchema.meta({ id: 'Submissions' }), 'The submissions, newest first'),
    ...refusals(...token),
  },
})

const cancel = createRoute({
  method: 'delete',
  path: ROUTES.submission,
  summary: 'Withdraw a submission whose patches have not been received',
  security: bySubmitter,
  middleware: [signed()] as const,
  request: { params },
  responses: {
    200: json(opened, 'The submission is cancelled; its place in the budget is free again'),
    ...refusals(...token, 'not-found', 'submission-state'),
  },
})

export const submissions = newRouter()
  .openapi(open, async (c) => {
    const { deps, caller, origin } = c.var
    const { manifest } = c.req.valid('json')
    const { row, created } = orRefuse(
      await openSubmission(deps, caller.organisation, origin, manifest),
    )
    const body = await viewOpened(deps, row)
    return created ? c.json(body, 201) : c.json(body, 200)
  })
  .openapi(patches, async (c) => {
    const { deps, caller, bodySha256, upload } = c.var
    const { id } = c.req.valid('param')
    const own = (await findOwned(deps.db, caller.organisation, id)) ?? refuse('not-found')
    const row = orRefuse(await receive(deps, own, bodySha256, upload))
    return c.json(await viewOpened(deps, row), 200)
  })
  .openapi(read, async (c) => {
    const { deps, caller } = c.var
    const own = await readOwn(deps, caller.organisation, c.req.valid('param').id)
    return c.json(own ?? refuse('not-found'), 200)
  })
  .openapi(list, async (c) => {
    const { deps, caller } = c.var
    return c.json({ submissions: await readOwnList(deps, caller.organisation) }, 200)
  })
  .openapi(cancel, async (c) => {
    const { deps, caller } = c.var
    const { id } = c.req.valid('param')
    const own = (await findOwned(deps.db, caller.organisation, id)) ?? refuse('not-found')
    const row = orRefuse(await withdraw(deps, own))
    return c.json(await viewOpened(deps, row), 200)
  })
