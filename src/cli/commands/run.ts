import { rmSync } from 'node:fs'
import type { Context, Outcome } from '../context.ts'
import { EXIT, type Exit } from '../exit.ts'
import { pullEpoch } from '../pull-epoch.ts'
import { baselineSource } from '../run/baseline-source.ts'
import { isLost, LostAnswers } from '../run/lost-answers.ts'
import { modelSource } from '../run/model-source.ts'
import { addRunOptions, type RunOptions, readRunOptions, toSelection } from '../run/options.ts'
import { repliesSource } from '../run/replies-source.ts'
import { selectTasks } from '../run/selection.ts'
import type { Source } from '../run/source.ts'
import { collectEarly } from '../small-heap.ts'
import { Progress } from '../terminal/progress.ts'
import type { Verb } from '../verb.ts'
import { findEpoch, type PulledEpoch, requireEpoch } from '../workspace/epochs.ts'
import { Prompts, type TaskEntry } from '../workspace/prompts.ts'
import { type OpenRun, openRun, unreadableRuns } from '../workspace/runs.ts'

export const run: Verb = {
  name: 'run',
  aliases: ['generate', 'codegen'],
  summary: 'ask a model for patches; can be stopped and repeated at any moment',
  examples: [
    'failmap run --model ollama/qwen2.5-coder:7b --per-category 1',
    'failmap run --model vllm/Qwen/Qwen2.5-Coder-32B-Instruct -j 32',
    'failmap run --base-url http://127.0.0.1:8080/v1 --domain caching-expiry --limit 20',
    'failmap run --model baseline/template',
    'failmap run --replies replies.jsonl --model "my agent"',
  ],
  build: addRunOptions,
  async run(context, command) {
    const options = readRunOptions(command)
    const epoch = await pulledEpoch(context, options.epoch)
    const prompts = Prompts.open(epoch)
    try {
      const chosen = selectTasks(prompts.tasks, toSelection(options))
      const source = await sourceOf(context, options, prompts)
      try {
        return await runSource(context, { source, prompts, chosen, epoch, options })
      } finally {
        await source.close()
      }
    } finally {
      prompts.close()
    }
  },
}

async function pulledEpoch(context: Context, id: string | undefined): Promise<PulledEpoch> {
  const { workspace } = context.config
  const found = findEpoch(workspace, id)
  if (found !== null) return found
  const pulled = await pullEpoch(context, id)
  return requireEpoch(workspace, pulled.view.card.id)
}

async function sourceOf(context: Context, options: RunOptions, prompts: Prompts): Promise<Source> {
  if (options.replies !== undefined) {
    collectEarly()
    return repliesSource(context, options.replies, options)
  }
  if (options.model?.startsWith('baseline/')) {
    collectEarly()
    return baselineSource(context, options.model.slice('baseline/'.length), options)
  }
  return modelSource(context, options, prompts)
}

type Parts = {
  source: Source
  prompts: Prompts
  chosen: readonly TaskEntry[]
  epoch: PulledEpoch
  options: RunOptions
}

async function runSource(context: Context, parts: Parts): Promise<Outcome> {
  const { source, prompts, chosen, epoch, options } = parts
  const { io, config } = context
  const { card } = epoch.view
  const open = await openRun({
    workspace: config.workspace,
    epoch: { id: card.id, prompts: card.prompts.sha256 },
    settings: source.settings,
    run: options.run,
    resume: options.resume,
    nowMs: io.now(),
    now: io.now,
    randomBytes: io.randomBytes,
  })
  const { journal } = open
  const tasks = chosen.filter((task) => !journal.has(task.instanceId))
  const lost = new LostAnswers()
  const progress = new Progress({
    sink: io.stderr,
    now: io.now,
    total: chosen.length,
    done: chosen.length - tasks.length,
    noun: 'answers',
  })
  try {
    context.tell(source.title)
    if (open.isNew) warnOfUnreadable(context)
    tellStart(context, open, chosen.length, tasks.length)
    const tell = (line: string) => {
      if (!context.isJson) progress.tell(line)
    }
    await source.answer({
      run: open,
      prompts,
      tasks,
      resumeCommand: context.commandLine,
      tell,
      onReply: () => {
        if (!context.isJson) progress.advance(lost.share)
      },
      onReading: ({ status, cause }) => {
        lost.add(status, cause)
        // Leaving modules as they are is what some baselines are for.
        const misfit = source.settings.source === 'baseline' ? null : lost.misfitWarning()
        for (const line of [lost.warning(), misfit]) if (line !== null) tell(line)
      },
    })
  } finally {
    if (!context.isJson && tasks.length > 0) progress.finish()
    try {
      await journal.close()
    } finally {
      open.lock.release()
      // A server that was never there leaves no run behind that `submit` would take for the newest.
      if (open.isNew && !journal.hasKept) rmSync(open.folder, { recursive: true, force: true })
    }
  }
  return summary(context, open, chosen, lost)
}

/** Answers that were paid for are never passed over without a word. */
function warnOfUnreadable({ config, warn }: Context): void {
  for (const id of unreadableRuns(config.workspace)) {
    warn(
      `${id}: the first line of its journal is damaged, so this run cannot go on with its answers`,
    )
  }
}

function tellStart({ tell }: Context, open: OpenRun, total: number, left: number): void {
  const { tornTail, damagedLines } = open.journal.notes
  if (tornTail !== null) tell(`the last answer was cut off by a crash; moved to ${tornTail}`)
  if (damagedLines > 0)
    tell(`${damagedLines} lines of the journal are damaged; their tasks run again`)
  tell(
    open.isNew
      ? `${open.id}: ${total} tasks`
      : `${open.id}: going on, ${total - left} of ${total} tasks are answered`,
  )
}

function summary(
  { io, commandLine }: Context,
  { id, journal }: OpenRun,
  chosen: readonly TaskEntry[],
  lost: LostAnswers,
): Outcome {
  const statuses = chosen.map((task) => journal.statusOf(task.instanceId))
  const answered = statuses.filter((status) => status !== undefined && status !== 'backend_error')
  const counts: Record<string, number> = {}
  for (const status of statuses) {
    if (status !== undefined) counts[status] = (counts[status] ?? 0) + 1
  }
  const lostCount = statuses.filter((status) => status !== undefined && isLost(status)).length
  const isInterrupted = io.interrupted.aborted
  const isWhole = answered.length === chosen.length
  const exit: Exit = isInterrupted ? EXIT.interrupted : isWhole ? EXIT.done : EXIT.partial
  const next = isWhole
    ? `failmap submit ${id} --wait`
    : `${commandLine}   (goes on where this stopped)`
  return {
    data: {
      run: id,
      tasks: chosen.length,
      answered: answered.length,
      lost: lostCount,
      counts,
      causes: Object.fromEntries(lost.byCause),
      interrupted: isInterrupted,
    },
    text: [
      `${id}: ${answered.length} of ${chosen.length} answered, ${lostCount} lost`,
      ...lost.reasons().map((reason) => `  ${reason}`),
      `next: ${next}`,
    ].join('\n'),
    exit,
  }
}
