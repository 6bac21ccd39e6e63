import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { OpenRun } from '../workspace/runs.ts'

export async function importPredictions(
  _context: Context,
  { file }: { file: string },
): Promise<OpenRun> {
  throw new Failure(EXIT.usage, `cannot read ${file}`)
}
