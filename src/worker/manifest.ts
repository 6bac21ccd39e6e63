import { fromBase64url } from '../protocol/base64url.ts'
import { sha256Hex } from '../protocol/digest.ts'
import { toSubmissionId } from '../protocol/ids.ts'
import { type Manifest, manifestSchema } from '../protocol/manifest.ts'
import { readShape } from '../protocol/shape.ts'

/**
 * The manifest of a stored submission. Its signature was checked when it came; here only the bytes
 * are tied to the id, so that a changed row cannot become a report.
 */
export async function storedManifest(row: {
  id: string
  manifest: string
}): Promise<{ manifest: Manifest; sha256: string }> {
  const payload = fromBase64url(row.manifest.split('.')[1] ?? '') ?? new Uint8Array(0)
  const manifest = readShape(payload, manifestSchema)
  const sha256 = await sha256Hex(payload)
  if (!manifest.ok || toSubmissionId(sha256) !== row.id) {
    throw new Error('a stored manifest is not the one of its submission')
  }
  return { manifest: manifest.value, sha256 }
}
