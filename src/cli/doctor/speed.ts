import type { Context } from '../context.ts'
import { type Connection, connect } from '../model/connection.ts'
import { estimateTokens, planBudget } from '../run/budget.ts'
import { duration } from '../terminal/duration.ts'
import type { PulledEpoch } from '../workspace/epochs.ts'
import { Prompts, type TaskEntry } from '../workspace/prompts.ts'
import { bad, type Finding, good, notice } from './finding.ts'

const SAMPLES = 3
const TIME_LIMIT_MS = 300_000
const FORECASTS = [256, 2048] as const

export type SpeedWish = {
  model: string | undefined
  baseUrl: string | undefined
  endpoint: 'chat' | 'completion' | undefined
  maxConnections: number
  epoch: PulledEpoch
}

/** Measures a server on three tasks of the epoch and predicts what a run will take. */
export async function checkModel(context: Context, wish: SpeedWish): Promise<Finding[]> {
  const prompts = Prompts.open(wish.epoch)
  const connection = await connect({
    wish,
    env: context.config.env,
    maxConnections: wish.maxConnections,
    interrupted: context.io.interrupted,
    now: context.io.now,
    tell: context.tell,
  })
  try {
    const { endpoint, transport } = connection
    const route = transport.route(endpoint.baseUrl)
    return [
      good(
        'route',
        `${endpoint.baseUrl} ${route === 'direct' ? 'directly' : `through the proxy ${route}`}`,
      ),
      contextFinding(connection, prompts),
      ...(await measure(context, connection, prompts, wish)),
    ]
  } finally {
    prompts.close()
    await connection.transport.close()
  }
}

function contextFinding({ identity, endpoint }: Connection, { tasks }: Prompts): Finding {
  const longest = estimateTokens(Math.max(0, ...tasks.map((task) => task.promptBytes)))
  const context = identity.contextLength
  if (context === null) {
    return notice(
      'context',
      `the server does not tell its context length; the longest prompt needs about ${longest} tokens and the answer as much again`,
      `make sure it holds at least ${longest * 2} tokens`,
    )
  }
  const isOllama = endpoint.dialect.name === 'ollama'
  const found = `${context} tokens${isOllama ? ' (asked for with each request)' : ''}, the longest prompt needs about ${longest}`
  return context >= longest * 2
    ? good('context', found)
    : bad(
        'context',
        `${found} and the answer as much again`,
        'raise it: -c (llama.cpp), --max-model-len (vLLM), the slider in LM Studio',
      )
}

async function measure(
  context: Context,
  connection: Connection,
  prompts: Prompts,
  wish: SpeedWish,
): Promise<Finding[]> {
  const { io } = context
  const budget = planBudget({
    longestPromptBytes: Math.max(0, ...prompts.tasks.map((task) => task.promptBytes)),
    maxTokens: null,
    numCtx: null,
    contextLength: connection.identity.contextLength,
    choosesContext: connection.endpoint.dialect.name === 'ollama',
  })
  let tokens = 0
  let seconds = 0
  let answers = 0
  for (const task of samples(prompts.tasks)) {
    context.tell(`measuring on ${task.instanceId} …`)
    const startedAt = io.now()
    const body = connection.encode({
      messages: [{ role: 'user', content: prompts.asked(task).prompt }],
      maxTokens: budget.maxTokens,
      sampling: { temperature: 0, seed: 0, topP: null },
      numCtx: budget.numCtx,
      stream: true,
    })
    const limits = { timeLimitMs: TIME_LIMIT_MS, interrupted: io.interrupted }
    const outcome = await connection.ask(body, limits)
    if (!outcome.ok) {
      return [
        bad('model', outcome.error.message, 'mend what the server says, then run doctor again'),
      ]
    }
    answers += 1
    seconds += (io.now() - startedAt) / 1000
    const { usage, content, reasoning } = outcome.value
    tokens += usage?.completionTokens ?? estimateTokens(content.length + reasoning.length)
  }
  if (answers === 0) return [notice('speed', 'there are no tasks to measure on', 'failmap pull')]
  const perTask = seconds / answers
  const slots = wish.maxConnections
  const counts = [
    ...FORECASTS.filter((count) => count < prompts.tasks.length),
    prompts.tasks.length,
  ]
  const forecast = counts.map((count) => `${count} tasks ${duration((count * perTask) / slots)}`)
  return [
    good(
      'speed',
      `${(tokens / seconds).toFixed(1)} tokens/s, ${duration(perTask)} a task (${answers} tasks, one at a time)`,
    ),
    good(
      'forecast',
      `${forecast.join(', ')} with ${slots} at a time, if the server serves them in parallel`,
    ),
  ]
}

/** First, middle and last task: three categories, three lengths. */
function samples(tasks: readonly TaskEntry[]): TaskEntry[] {
  const wanted = Math.min(SAMPLES, tasks.length)
  return Array.from(
    { length: wanted },
    (_, at) => tasks[wanted === 1 ? 0 : Math.round((at * (tasks.length - 1)) / (wanted - 1))],
  ).filter((task) => task !== undefined)
}
