import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { type Connection, connect } from '../model/connection.ts'
import type { ModelIdentity } from '../model/identity.ts'
import type { IdentityFact } from '../submit/model-card.ts'
import type { Prompts } from '../workspace/prompts.ts'
import { planBudget } from './budget.ts'
import { runModel } from './model-run.ts'
import type { RunOptions } from './options.ts'
import type { Source } from './source.ts'

/** A model server as a source of answers. */
export async function modelSource(
  context: Context,
  options: RunOptions,
  prompts: Prompts,
): Promise<Source> {
  const { io, config } = context
  if (options.model === undefined && options.baseUrl === undefined && !config.env.OPENAI_BASE_URL) {
    throw new Failure(EXIT.usage, 'which model?', {
      why: 'neither --model nor --base-url is given',
      next: 'failmap doctor   (finds running servers and says what to type)',
    })
  }
  const connection = await connect({
    wish: { model: options.model, baseUrl: options.baseUrl, endpoint: options.endpoint },
    env: config.env,
    maxConnections: options.maxConnections,
    interrupted: io.interrupted,
    now: io.now,
    tell: context.tell,
    patienceMs: options.patience * 1000,
    sleep: io.sleep,
  })
  const { identity, endpoint } = connection
  const budget = planBudget({
    longestPromptBytes: Math.max(0, ...prompts.tasks.map((task) => task.promptBytes)),
    maxTokens: options.maxTokens ?? null,
    numCtx: options.numCtx ?? null,
    contextLength: identity.contextLength,
    choosesContext: endpoint.dialect.name === 'ollama',
  })
  for (const notice of budget.notices) context.warn(notice)
  return {
    settings: {
      source: 'model',
      model: nameOf(connection),
      model_digest: identity.digest,
      endpoint: endpoint.dialect.name,
      system: options.system ?? null,
      temperature: options.temperature,
      top_p: options.topP ?? null,
      seed: options.seed,
      max_tokens: budget.maxTokens,
      num_ctx: budget.numCtx,
      time_limit_seconds: options.timeout,
      max_checks: null,
    },
    title: describe(connection, budget.maxTokens),
    async answer(work) {
      work.run.journal.recordFact('identity', toFact(connection))
      await runModel({
        io,
        connection,
        journal: work.run.journal,
        prompts: work.prompts,
        tasks: work.tasks,
        slots: options.maxConnections,
        stream: options.stream,
        patienceMs: options.patience * 1000,
        timeLimitMs: options.timeout * 1000,
        acceptedModel: options.acceptModel ?? null,
        resumeCommand: work.resumeCommand,
        tell: work.tell,
        onReply: work.onReply,
        onReading: work.onReading,
      })
    },
    close: () => connection.transport.close(),
  }
}

function nameOf({ endpoint, identity }: Connection): string {
  return endpoint.kind === 'openai' ? identity.model : `${endpoint.kind}/${identity.model}`
}

function toFact({ endpoint, identity }: Connection): IdentityFact {
  return {
    server: identity.server,
    provider: endpoint.kind,
    weights_sha256: identity.weights,
    parameters: identity.parameters,
    quantisation: identity.quantisation,
    context_length: identity.contextLength,
  }
}

function describe({ endpoint, identity }: Connection, maxTokens: number): string {
  return [
    `${identity.model} at ${endpoint.baseUrl}`,
    ...known(identity),
    `max_tokens ${maxTokens}`,
  ].join(', ')
}

function known({ server, parameters, quantisation, contextLength }: ModelIdentity): string[] {
  return [
    server,
    parameters,
    quantisation,
    contextLength === null ? null : `context ${contextLength}`,
  ].filter((part) => part !== null)
}
