import { readFileSync } from 'node:fs'
import path from 'node:path'
import { saveEpoch, savePrompts } from '../../src/cli/workspace/epochs.ts'
import { JOURNAL_FILE } from '../../src/cli/workspace/journal.ts'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import type { SampleEpoch } from './sample-epoch.ts'

export type Line = Record<string, unknown>

/** Whole lines of the newest run's journal; a last one that is torn is left out. */
export function journalLines(workspace: string): Line[] {
  const run = listRuns(workspace).at(-1)
  if (run === undefined) return []
  return readFileSync(path.join(run.folder, JOURNAL_FILE), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line): Line => JSON.parse(line))
}

/** Puts an epoch into a workspace as `failmap pull` does. */
export async function putEpoch(workspace: string, { view, text }: SampleEpoch): Promise<void> {
  const folder = await saveEpoch(workspace, view)
  await savePrompts(
    folder,
    view,
    (async function* () {
      yield Buffer.from(text)
    })(),
  )
}

/** Whether a request is the one-token question that comes before the first task. */
export function isProbe(body: unknown): boolean {
  return /"max_tokens":1[,}]|"num_predict":1[,}]/.test(JSON.stringify(body))
}
