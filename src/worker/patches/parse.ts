import { type Patch, patchSchema } from '../../protocol/patch.ts'
import { readShape } from '../../protocol/shape.ts'

/** The patches of a stored shard. Its lines were checked when they came, so a bad one is a bug. */
export function parseShard(bytes: Uint8Array): Patch[] {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const patch = readShape(line, patchSchema)
      if (!patch.ok) throw new Error('a stored patch line does not parse')
      return patch.value
    })
}
