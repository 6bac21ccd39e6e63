import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { SetupError } from './process.ts'
import { python, stateFolder } from './root.ts'
import { epochKey, type Secrets } from './secrets.ts'
import { run } from './steps.ts'

const drawingSchema = z
  .object({
    epoch: z.string(),
    practice: z.number(),
    sealed: z.number(),
    categories: z.array(z.object({ slug: z.string() }).loose()),
    prompts: z.object({ sha256: z.string(), bytes: z.number(), count: z.number() }),
  })
  .loose()

export type Drawing = z.infer<typeof drawingSchema>
export type LocalEpoch = { id: string; folder: string; drawing: Drawing }

/** How many tasks of each part one category gets. */
export type Size = { practice: number; sealed: number }

export const epochId = (name: string, corpus: string, { practice, sealed }: Size): string =>
  `${name}-${corpus.slice(0, 8)}-${practice}-${sealed}`

/**
 * Draws an epoch from all categories that exist, once: the id carries the corpus digest and the
 * size, so changed categories give a new epoch and an unchanged checkout reuses its own.
 */
export async function drawEpoch(
  secrets: Secrets,
  corpus: string,
  size: Size,
  name = 'demo',
): Promise<LocalEpoch> {
  const id = epochId(name, corpus, size)
  const folder = path.join(stateFolder, 'epochs', id)
  const file = path.join(folder, 'drawing.json')
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    const keyFile = path.join(folder, 'root.key')
    writeFileSync(keyFile, `${epochKey(secrets, id)}\n`, { mode: 0o600 })
    const args = ['-m', 'tasks', 'export', '--epoch', id, '--key-file', keyFile, '--out', folder]
    args.push('--practice', String(size.practice), '--sealed', String(size.sealed))
    if ((await run({ name: 'draw the epoch', command: python, args })) !== 0) {
      throw new SetupError(
        'the demo epoch could not be drawn',
        '`python3 -m tasks export` refused; its message is above',
        'run `python3 -m tasks validate` to see which category is at fault',
      )
    }
  }
  return { id, folder, drawing: drawingSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) }
}

async function put(url: string, token: string, type: string, body: string | Buffer): Promise<void> {
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    body,
  })
  if (answer.ok) return
  throw new SetupError(
    'the local service refused the demo epoch',
    `${answer.status} ${await answer.text()}`,
    'remove the folder .failmap (local data only) and run the same command again',
  )
}

/** Publishes an open epoch on the local service; doing it twice changes nothing. */
export async function publishEpoch(
  url: string,
  secrets: Secrets,
  epoch: LocalEpoch,
): Promise<void> {
  const card = {
    kind: 'open',
    title: 'Demo: everything revealed, everything local',
    opens_at: '2026-01-01T00:00:00Z',
    closes_at: '2100-01-01T00:00:00Z',
    drawing: epoch.drawing,
  }
  const at = `${url}/v1/epochs/${epoch.id}`
  await put(at, secrets.operatorToken, 'application/json', JSON.stringify(card))
  const prompts = readFileSync(path.join(epoch.folder, 'prompts.jsonl'))
  await put(`${at}/prompts`, secrets.operatorToken, 'application/x-ndjson', prompts)
}
