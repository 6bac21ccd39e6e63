import { createHash } from 'node:crypto'
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { FileDigest } from '../../protocol/epoch.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { type NoAnswerReason, noAnswerReasonSchema, type Patch } from '../../protocol/patch.ts'
import { utf8Length } from '../../protocol/text.ts'
import type { Journal } from '../workspace/journal.ts'
import type { Answer } from '../workspace/journal-lines.ts'
import type { Prompts } from '../workspace/prompts.ts'

/** Room for the longest line, however many bytes its characters take. */
const CHUNK_BYTES = 3 * LIMITS.patchLineBytes

export type PatchesFile = { file: string; digest: FileDigest; answered: number }

/**
 * Writes the patches of a run: one line for every task of the epoch, in the order of its prompts.
 *
 * The same answers give the same bytes, so a repeated submit states the same digest.
 */
export function writePatches(folder: string, journal: Journal, prompts: Prompts): PatchesFile {
  const file = path.join(folder, 'patches.jsonl')
  const draft = `${file}.${process.pid}.part`
  const descriptor = openSync(draft, 'w')
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let answered = 0
  let bytes = 0
  let used = 0
  const writeOut = () => {
    for (let at = 0; at < used; ) at += writeSync(descriptor, chunk, at, used - at)
    hash.update(chunk.subarray(0, used))
    bytes += used
    used = 0
  }
  try {
    for (const task of prompts.tasks) {
      const patch = toPatch(task.instanceId, journal.read(task.instanceId))
      if (patch.module !== null) answered += 1
      const line = `${JSON.stringify(patch)}\n`
      if (used + 3 * line.length > chunk.length) writeOut()
      used += chunk.write(line, used)
    }
    writeOut()
    renameSync(draft, file)
  } finally {
    closeSync(descriptor)
    rmSync(draft, { force: true })
  }
  return {
    file,
    digest: { sha256: hash.digest('hex'), bytes, count: prompts.tasks.length },
    answered,
  }
}

function toPatch(instanceId: string, answer: Answer | undefined): Patch {
  const none = (reason: NoAnswerReason): Patch => ({
    instance_id: instanceId,
    module: null,
    reason,
  })
  if (answer === undefined) return none('not_run')
  const { module, status } = answer
  if (module === null) return none(noAnswerReasonSchema.safeParse(status).data ?? 'no_code')
  if (!module.isWellFormed()) return none('bad_source')
  if (utf8Length(module) > LIMITS.moduleBytes) return none('too_large')
  return { instance_id: instanceId, module }
}
