import { toBase64url } from '../../protocol/base64url.ts'
import { canonicalSha256 } from '../../protocol/digest.ts'
import type { EpochView, FileDigest } from '../../protocol/epoch.ts'
import { toSubmissionId } from '../../protocol/ids.ts'
import { type Signer, signManifest } from '../../protocol/jws.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { type Manifest, type ModelCard, manifestSchema } from '../../protocol/manifest.ts'
import type { Part } from '../../protocol/part.ts'
import { CLIENT } from '../package-info.ts'
import type { SubmissionState } from '../workspace/submission-state.ts'

export type ManifestWish = {
  signer: Signer
  organisation: string
  apiOrigin: string
  part: Part
  view: EpochView
  patches: FileDigest
  model: ModelCard
  nowSeconds: number
  jti: Uint8Array
}

/** States and signs what is submitted; the submission's id follows from it. */
export async function signSubmission(wish: ManifestWish): Promise<SubmissionState> {
  const { view, signer, nowSeconds } = wish
  const expires = nowSeconds + LIMITS.manifestLifetimeSeconds
  const manifest: Manifest = manifestSchema.parse({
    manifest: 1,
    iss: signer.keyId,
    aud: wish.apiOrigin,
    organisation: wish.organisation,
    part: wish.part,
    epoch: { id: view.card.id, card: view.card_sha256, prompts: view.card.prompts.sha256 },
    patches: wish.patches,
    model: wish.model,
    client: CLIENT,
    prompt_version: view.card.prompt_version,
    iat: nowSeconds,
    exp: expires,
    jti: toBase64url(wish.jti),
  })
  return {
    api: wish.apiOrigin,
    part: wish.part,
    patches_sha256: wish.patches.sha256,
    manifest: await signManifest(manifest, signer),
    expires,
    submission: toSubmissionId(await canonicalSha256(manifest)),
  }
}
