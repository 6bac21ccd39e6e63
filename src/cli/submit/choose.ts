import { submissionIdSchema } from '../../protocol/ids.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { isRunId } from '../workspace/folders.ts'
import { listRuns, requireRun } from '../workspace/runs.ts'
import { readSubmissionState } from '../workspace/submission-state.ts'

/** A submission by its own id, by the id of its run, or the newest of the workspace. */
export function chooseSubmission(workspace: string, name: string | undefined): string {
  if (name !== undefined && submissionIdSchema.safeParse(name).success) return name
  const runs =
    name !== undefined && isRunId(name) ? [requireRun(workspace, name)] : listRuns(workspace)
  if (name !== undefined && !isRunId(name)) {
    throw new Failure(EXIT.usage, `"${name}" is neither a submission nor a run`, {
      next: 'failmap runs   (lists runs and their submissions)',
    })
  }
  const states = runs.flatMap(({ folder }) => readSubmissionState(folder) ?? [])
  const newest = states.at(-1)
  if (newest !== undefined) return newest.submission
  throw new Failure(EXIT.usage, 'nothing was submitted from this workspace yet', {
    next: 'failmap submit',
  })
}
