import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { canonicalSha256 } from '../../protocol/digest.ts'
import { type EpochView, epochViewSchema } from '../../protocol/epoch.ts'
import { EXIT } from '../exit.ts'
import { Failure, fileFailure } from '../failure.ts'
import { readJsonFile } from '../text-file.ts'
import { epochFolder, makeFolder } from './folders.ts'
import { hashFile } from './hash-file.ts'
import { writeWhole } from './write-whole.ts'

export type PulledEpoch = { view: EpochView; promptsFile: string }

const CURRENT = 'current.json'

/** Keeps an epoch's card after checking that it is the one its digest names. */
export async function saveEpoch(workspace: string, view: EpochView): Promise<string> {
  if ((await canonicalSha256(view.card)) !== view.card_sha256) {
    throw new Failure(EXIT.api, `the card of epoch ${view.card.id} does not have its digest`, {
      why: 'the API sent a damaged or altered card',
      next: 'failmap pull   (again); tell the operator if it stays',
    })
  }
  const folder = makeFolder(epochFolder(workspace, view.card.id))
  writeWhole(path.join(folder, 'card.json'), `${JSON.stringify(view, null, 2)}\n`)
  writeWhole(path.join(workspace, 'epochs', CURRENT), `${JSON.stringify({ id: view.card.id })}\n`)
  return folder
}

/**
 * Streams the prompts to their place; a file with another digest never gets its name.
 *
 * @throws Failure for whatever the disk refuses; what the body throws comes as it is
 */
export async function savePrompts(
  folder: string,
  view: EpochView,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = path.join(folder, 'prompts.jsonl')
  const draft = `${file}.part`
  const onDisk = async <T>(act: () => Promise<T> | T): Promise<T> => {
    try {
      return await act()
    } catch (thrown) {
      throw fileFailure(thrown, draft)
    }
  }
  const hash = createHash('sha256')
  const out = await onDisk(() => open(draft, 'w'))
  try {
    for await (const chunk of body) {
      hash.update(chunk)
      await onDisk(() => out.appendFile(chunk))
    }
    if (hash.digest('hex') !== view.card.prompts.sha256) {
      throw new Failure(EXIT.api, 'the prompts do not have the digest that the epoch card states', {
        why: 'the download is damaged or was altered on the way',
        next: 'failmap pull   (again)',
      })
    }
    // A name that survives a power cut must not stand for bytes that do not.
    await onDisk(() => out.sync())
    await onDisk(() => out.close())
    await onDisk(() => renameSync(draft, file))
  } finally {
    await out.close().catch(() => {})
    rmSync(draft, { force: true })
  }
}

/** Whether the folder holds exactly the prompts that the card names. */
export function hasPrompts(folder: string, view: EpochView): boolean {
  const file = path.join(folder, 'prompts.jsonl')
  return existsSync(file) && hashFile(file).sha256 === view.card.prompts.sha256
}

/** The epoch asked for, or the one pulled last. Null when it was not pulled. */
export function findEpoch(workspace: string, epoch: string | undefined): PulledEpoch | null {
  const id = epoch ?? currentEpoch(workspace)
  if (id === null) return null
  const folder = epochFolder(workspace, id)
  const promptsFile = path.join(folder, 'prompts.jsonl')
  const card = path.join(folder, 'card.json')
  if (!existsSync(card) || !existsSync(promptsFile)) return null
  const view = epochViewSchema.safeParse(readJsonFile(card))
  return view.success ? { view: view.data, promptsFile } : null
}

/** Like `findEpoch`, for commands that cannot go on without. */
export function requireEpoch(workspace: string, epoch: string | undefined): PulledEpoch {
  const found = findEpoch(workspace, epoch)
  if (found !== null) return found
  throw new Failure(EXIT.usage, `${epoch ?? 'no epoch'} is not in the workspace ${workspace}`, {
    next: `failmap pull${epoch === undefined ? '' : ` --epoch ${epoch}`}`,
  })
}

function currentEpoch(workspace: string): string | null {
  const file = path.join(workspace, 'epochs', CURRENT)
  if (!existsSync(file)) return null
  const value = readJsonFile(file)
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null
  return typeof id === 'string' ? id : null
}
