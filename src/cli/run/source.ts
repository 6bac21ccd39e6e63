import type { Reading, Settings } from '../workspace/journal-lines.ts'
import type { Prompts, TaskEntry } from '../workspace/prompts.ts'
import type { OpenRun } from '../workspace/runs.ts'

/** Where the answers of a run come from: a model server, a baseline, or a file. */
export type Source = {
  settings: Settings
  /** Printed before work begins. */
  title: string
  answer(work: Work): Promise<void>
  close(): Promise<void>
}

export type Work = {
  run: OpenRun
  prompts: Prompts
  /** Open tasks, in the order in which they are asked. */
  tasks: readonly TaskEntry[]
  resumeCommand: string
  tell: (line: string) => void
  /** A reply is in the journal. */
  onReply: () => void
  /** What was made of it is in the journal too. */
  onReading: (reading: Pick<Reading, 'status' | 'cause'>) => void
}
