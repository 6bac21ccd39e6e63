import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGzip } from 'node:zlib'
import { MEDIA, routePath } from '../../protocol/routes.ts'
import {
  openedSubmissionSchema,
  type SubmissionView,
  submissionViewSchema,
} from '../../protocol/submission.ts'
import type { Api, Sending } from '../api.ts'
import { ApiRefusal } from '../api-failure.ts'
import { fileFailure } from '../failure.ts'
import type { SubmissionState } from '../workspace/submission-state.ts'
import type { PatchesFile } from './patches-file.ts'

/**
 * Opens the submission and uploads its patches, whatever of that is still to do.
 *
 * Every step may be repeated: the manifest names the submission, and the state at the API decides.
 */
export async function upload(
  api: Api,
  state: SubmissionState,
  patches: PatchesFile,
): Promise<SubmissionView> {
  const opened = await api.post(
    routePath('submissions'),
    { manifest: state.manifest },
    openedSubmissionSchema,
  )
  if (opened.state === 'open') await sendPatches(api, opened.submission, patches)
  return api.get(routePath('submission', opened.submission), submissionViewSchema)
}

async function sendPatches(api: Api, submission: string, patches: PatchesFile): Promise<void> {
  try {
    const sending: Sending = {
      method: 'PUT',
      path: routePath('patches', submission),
      what: 'the upload of the patches',
      headers: { 'content-type': MEDIA.ndjson, 'content-encoding': 'gzip' },
      body: () => zipped(patches.file),
      bodySha256: patches.digest.sha256,
    }
    await api.transfer(sending, (response) => response.discard())
  } catch (error) {
    // A lost answer to an upload that arrived: the state says so, and nothing is to be done.
    const isPast = error instanceof ApiRefusal && error.slug === 'submission-state'
    if (!isPast) throw error
  }
}

/** The file opens with the first chunk asked for, so never for a try that finds no connection. */
async function* zipped(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* pipeline(createReadStream(file), createGzip(), () => {})
  } catch (thrown) {
    throw fileFailure(thrown, file)
  }
}
