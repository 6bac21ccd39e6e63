import { availableParallelism } from 'node:os'
import { toInstant } from '../../protocol/instant.ts'
import type { Prompt } from '../../protocol/prompt.ts'
import {
  type BaselineName,
  baselineNames,
  DEFAULT_MAX_CHECKS,
  isBaselineName,
  needsChecker,
  repair,
} from '../baselines/baselines.ts'
import { type Checker, CheckerFault } from '../checker.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { openLocalChecker } from '../local-checker.ts'
import { runPool } from '../model/pool.ts'
import type { Answer } from '../workspace/journal-lines.ts'
import type { RunOptions } from './options.ts'
import type { Source, Work } from './source.ts'

/** A built-in method of program repair as a source of answers: it sees prompts only. */
export function baselineSource(context: Context, name: string, options: RunOptions): Source {
  if (!isBaselineName(name)) {
    throw new Failure(EXIT.usage, `there is no baseline "${name}"`, {
      why: `there are: ${baselineNames.map((known) => `baseline/${known}`).join(', ')}`,
    })
  }
  const maxChecks = needsChecker(name) ? (options.steps ?? DEFAULT_MAX_CHECKS) : null
  return {
    settings: {
      source: 'baseline',
      model: `baseline/${name}`,
      model_digest: null,
      endpoint: null,
      system: null,
      temperature: null,
      top_p: null,
      seed: null,
      max_tokens: null,
      num_ctx: null,
      time_limit_seconds: null,
      max_checks: maxChecks,
    },
    title: `baseline/${name}${maxChecks === null ? '' : `, up to ${maxChecks} modules tried for a task`}`,
    answer: (work) => repairAll(context, name, maxChecks ?? 0, work, options),
    close: async () => {},
  }
}

async function repairAll(
  context: Context,
  name: BaselineName,
  maxChecks: number,
  work: Work,
  options: RunOptions,
): Promise<void> {
  const { io } = context
  const lanes = Math.min(options.maxConnections, availableParallelism())
  const checker = needsChecker(name)
    ? await openLocalChecker(context, { lanes, isolation: options.isolation })
    : NO_CHECKER
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  io.interrupted.addEventListener('abort', interrupt, { once: true })
  try {
    await runPool(work.tasks[Symbol.iterator](), lanes, stop, async (task) => {
      const startedAt = io.now()
      const prompt = work.prompts.whole(task)
      const outcome = await repairOne(name, prompt, checker, maxChecks)
      const answer: Answer = {
        ...outcome,
        instance_id: task.instanceId,
        finish_reason: null,
        usage: null,
        reasoning_characters: 0,
        max_tokens: null,
        attempts: 1,
        latency_ms: Math.round(io.now() - startedAt),
        answered_at: toInstant(io.now() / 1000),
      }
      work.run.journal.record(answer)
      work.onReply()
      work.onReading(answer)
    })
  } finally {
    io.interrupted.removeEventListener('abort', interrupt)
    await checker.close()
    await work.run.journal.flush()
  }
}

type Outcome = Pick<Answer, 'status' | 'cause' | 'module' | 'reply' | 'notes'>

async function repairOne(
  name: BaselineName,
  prompt: Prompt,
  checker: Checker,
  maxChecks: number,
): Promise<Outcome> {
  try {
    const { module, notes } = await repair(name, prompt, checker, { maxChecks })
    const status = module === prompt.module ? 'unchanged' : 'ok'
    return { status, cause: null, module, reply: module, notes }
  } catch (error) {
    if (!(error instanceof CheckerFault)) throw error
    return { status: 'backend_error', cause: error.message, module: null, reply: '', notes: [] }
  }
}

/** For a method that runs nothing. */
const NO_CHECKER: Checker = {
  isolation: null,
  check: () => Promise.reject(new CheckerFault('this baseline runs no checks')),
  close: async () => {},
}
