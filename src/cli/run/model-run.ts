import { createInstants } from '../clock.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { Asker } from '../model/asker.ts'
import type { Completion } from '../model/completion.ts'
import { type Connection, requireSameModel } from '../model/connection.ts'
import type { Message } from '../model/dialect.ts'
import { runPool } from '../model/pool.ts'
import { readWithoutText } from '../model/reading.ts'
import { isFinal, isRefusal, ServerWatch, stopFor } from '../model/server-watch.ts'
import { collectEarly } from '../small-heap.ts'
import type { Journal } from '../workspace/journal.ts'
import type { Reading, Reply } from '../workspace/journal-lines.ts'
import type { Prompts, TaskEntry } from '../workspace/prompts.ts'
import { Reader } from './reader.ts'

export type ModelRun = {
  io: Io
  connection: Connection
  journal: Journal
  prompts: Prompts
  tasks: readonly TaskEntry[]
  slots: number
  stream: boolean
  patienceMs: number
  timeLimitMs: number
  /** The name under which a model may answer although another was asked for. */
  acceptedModel: string | null
  resumeCommand: string
  tell: (line: string) => void
  /** A reply is in the journal. */
  onReply: () => void
  onReading: (reading: Pick<Reading, 'status' | 'cause'>) => void
}

const instantOf = createInstants()

/** Answers whose prompt filled the whole context, before the server's setting is blamed. */
const FULL_AT_START = 5

/** Asks a model server for every task that is open. Returns when all are asked or at Ctrl-C. */
export async function runModel(run: ModelRun): Promise<void> {
  const { io, journal, connection } = run
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  io.interrupted.addEventListener('abort', interrupt, { once: true })
  if (io.interrupted.aborted) stop.abort()
  const { settings } = journal.header
  const encode = (messages: Message[], maxTokens: number) =>
    connection.encode({
      messages,
      maxTokens,
      sampling: samplingOf(journal),
      numCtx: settings.num_ctx,
      stream: run.stream,
    })
  const limits = { timeLimitMs: run.timeLimitMs, interrupted: stop.signal }
  const call = (body: Uint8Array) => connection.ask(body, limits)
  const say = (content: string) => call(encode([{ role: 'user', content }], 1))
  const sleep = (ms: number) => io.sleep(ms, stop.signal)
  const watch = new ServerWatch({
    probe: () => say('Answer with the word ready.'),
    patienceMs: run.patienceMs,
    now: io.now,
    sleep,
    tell: run.tell,
    interrupted: stop.signal,
    resumeCommand: run.resumeCommand,
  })
  const asker = new Asker({
    watch,
    encode,
    call,
    system: settings.system,
    hasSystemRole: !journal.facts.has('template_fallback'),
    onTemplateFallback: () => {
      journal.recordFact('template_fallback', true)
      run.tell('the template of this model has no system role: the text goes before each prompt')
    },
    sleep,
    random: () => (io.randomBytes(1)[0] ?? 0) / 256,
  })
  const reader = new Reader({
    journal,
    prompts: run.prompts,
    contextLength: contextOf(run),
    now: io.now,
    onReading: run.onReading,
  })
  try {
    await requireReady(run, watch, () => say('Say ready.'))
    const start = new StartOfRun(journal)
    const ask = async (task: TaskEntry) => {
      const kept = await answer(run, asker, task)
      if (kept === null) return
      start.check(kept)
      run.onReply()
      if (kept.reading === null) reader.add(task.instanceId)
      else run.onReading(kept.reading)
    }
    await runPool(run.tasks[Symbol.iterator](), run.slots, stop, ask)
  } finally {
    io.interrupted.removeEventListener('abort', interrupt)
    collectEarly()
    await reader.finish(io.interrupted)
    await journal.flush()
  }
}

/** Waits while a model loads, and stops before the first task when there is no hope. */
async function requireReady(
  run: ModelRun,
  watch: ServerWatch,
  probe: () => ReturnType<Connection['ask']>,
): Promise<void> {
  const { identity, endpoint } = run.connection
  const outcome = await probe()
  if (outcome.ok) {
    requireSameModel(identity, outcome.value.servedModel, run.acceptedModel)
    noteServer(run, outcome.value.servedModel, outcome.value.streamed)
    return
  }
  const failure = outcome.error
  if (failure.kind === 'interrupted' || isRefusal(failure)) return
  if (isFinal(failure)) throw stopFor(failure, identity.offered)
  if (failure.kind === 'unreachable' || failure.kind === 'not-a-model') {
    throw new Failure(EXIT.modelServer, `there is no model server at ${endpoint.baseUrl}`, {
      why: failure.message,
      next: 'start the server, or give --base-url; failmap doctor finds running servers',
    })
  }
  await watch.waitUntilReady(failure)
}

function noteServer(run: ModelRun, served: string | null, streamed: boolean): void {
  if (run.stream && !streamed && !run.journal.facts.has('stream_unsupported')) {
    run.journal.recordFact('stream_unsupported', true)
    run.tell('the server does not stream: whole answers are read instead')
  }
  if (served !== null) run.journal.recordFact('served_model', served)
}

/** Asks for one task and keeps what came. Nothing is kept of an interrupted call. */
async function answer(run: ModelRun, asker: Asker, task: TaskEntry): Promise<Kept | null> {
  const { io, connection, journal } = run
  const ask = asker.prepare(run.prompts.promptJson(task), journal.header.settings.max_tokens ?? 0)
  const startedAt = io.now()
  const asked = await asker.ask(ask)
  if (asked.kind === 'interrupted') return null
  const answeredAt = io.now()
  const made = {
    instance_id: task.instanceId,
    attempts: asked.attempts,
    latency_ms: Math.round(answeredAt - startedAt),
    answered_at: instantOf(answeredAt),
  }
  if (asked.kind === 'gave-up') {
    return record(run, { ...made, ...NO_REPLY }, gaveUp(asked.failure.message))
  }
  const { completion, maxTokens } = asked
  requireSameModel(connection.identity, completion.servedModel, run.acceptedModel)
  noteServer(run, completion.servedModel, completion.streamed)
  const reading = readWithoutText(completion, {
    maxTokens,
    contextLength: contextOf(run),
  })
  const reply = toReply(made, completion, maxTokens)
  if (reading !== null) return record(run, reply, reading)
  await journal.recordReply(reply)
  return { reply, reading }
}

type Kept = { reply: Reply; reading: Reading | null }

function record({ journal }: ModelRun, reply: Reply, reading: Reading): Kept {
  journal.record({ ...reply, ...reading })
  return { reply, reading }
}

const NO_REPLY = {
  reply: '',
  finish_reason: null,
  usage: null,
  reasoning_characters: 0,
  max_tokens: null,
} as const

function gaveUp(message: string): Reading {
  return { status: 'backend_error', cause: message, module: null, notes: [] }
}

type Made = Pick<Reply, 'instance_id' | 'attempts' | 'latency_ms' | 'answered_at'>

/** Field by field: this is on the way of every answer, and a spread is slow. */
function toReply(made: Made, completion: Completion, maxTokens: number): Reply {
  const { content, finishReason, usage, reasoning } = completion
  return {
    instance_id: made.instance_id,
    reply: content,
    finish_reason: finishReason,
    usage:
      usage === null
        ? null
        : { prompt_tokens: usage.promptTokens, completion_tokens: usage.completionTokens },
    reasoning_characters: reasoning.length,
    max_tokens: maxTokens,
    attempts: made.attempts,
    latency_ms: made.latency_ms,
    answered_at: made.answered_at,
  }
}

function contextOf({ connection, journal }: ModelRun): number | null {
  return journal.header.settings.num_ctx ?? connection.identity.contextLength
}

/** Catches a context that is too small for any task before a night is spent on it. */
class StartOfRun {
  readonly #journal: Journal
  #first: Kept[] = []

  constructor(journal: Journal) {
    this.#journal = journal
  }

  check(kept: Kept): void {
    if (this.#first.length >= FULL_AT_START) return
    this.#first.push(kept)
    if (this.#first.length < FULL_AT_START) return
    if (!this.#first.every(({ reading }) => reading?.cause === 'context_full')) return
    const ids = this.#first.map(({ reply }) => reply.instance_id)
    this.#journal.reopen(ids, 'context_full')
    const { usage } = kept.reply
    const prompt = usage?.prompt_tokens ?? 0
    throw new Failure(EXIT.modelServer, 'the prompts do not fit the context of the server', {
      why: `the first ${FULL_AT_START} answers were cut off: a prompt of ${prompt} tokens, an apparent limit of ${prompt + (usage?.completion_tokens ?? 0)}`,
      next: 'raise the context length: --num-ctx (Ollama), -c (llama.cpp), --max-model-len (vLLM); then repeat the command',
    })
  }
}

function samplingOf(journal: Journal) {
  const { temperature, seed, top_p } = journal.header.settings
  return { temperature: temperature ?? 0, seed, topP: top_p }
}
