import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { instanceIdSchema } from '../../protocol/ids.ts'
import { toInstant } from '../../protocol/instant.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { codeOf, Failure, messageOf } from '../failure.ts'
import { readCompletion } from '../model/reading.ts'
import { type Splitter, splitLines } from '../model/sse.ts'
import { hashFile } from '../workspace/hash-file.ts'
import type { RunOptions } from './options.ts'
import type { Source, Work } from './source.ts'

/** A line of recorded replies; other members, such as those of our own journal, are ignored. */
const recordedSchema = z.object({
  instance_id: instanceIdSchema,
  reply: z.string(),
  finish_reason: z.string().nullish(),
})

/** Replies that were recorded before, read as if a server had just given them. */
export function repliesSource(context: Context, file: string, options: RunOptions): Source {
  const digest = readable(file)
  return {
    settings: {
      source: 'replies',
      model: options.model ?? 'recorded replies',
      model_digest: digest,
      endpoint: null,
      system: null,
      temperature: null,
      top_p: null,
      seed: null,
      max_tokens: null,
      num_ctx: null,
      time_limit_seconds: null,
      max_checks: null,
    },
    title: `replies recorded in ${file}`,
    answer: (work) => readReplies(context, file, work),
    close: async () => {},
  }
}

function readable(file: string): string {
  try {
    return hashFile(file).sha256
  } catch (cause) {
    const why = codeOf(cause) === 'ENOENT' ? 'there is no such file' : messageOf(cause)
    throw new Failure(EXIT.usage, `cannot read ${file}`, { why, cause })
  }
}

async function readReplies({ io }: Context, file: string, work: Work): Promise<void> {
  const open = new Map(work.tasks.map((task) => [task.instanceId, task]))
  const seen = new Set<string>()
  let line = 0
  for await (const text of linesOf(file)) {
    if (io.interrupted.aborted) break
    line += 1
    const recorded = recordedSchema.safeParse(parse(text))
    if (!recorded.success) {
      const fault = recorded.error.issues[0]
      throw new Failure(EXIT.usage, `${file}: line ${line} is no recorded reply`, {
        why: `${fault?.path.join('.') ?? ''} ${fault?.message ?? ''}`.trim(),
        next: 'a line looks like {"instance_id": "failmap__…-1", "reply": "…"}',
      })
    }
    const { instance_id, reply, finish_reason } = recorded.data
    if (seen.has(instance_id)) {
      throw new Failure(EXIT.usage, `${file}: line ${line} is a second reply for ${instance_id}`, {
        next: 'keep one reply for each task',
      })
    }
    seen.add(instance_id)
    const task = open.get(instance_id)
    if (task === undefined) continue
    open.delete(instance_id)
    const prompt = work.prompts.asked(task)
    const reading = readCompletion(
      {
        content: reply,
        reasoning: '',
        finishReason: finish_reason ?? null,
        usage: null,
        servedModel: null,
        streamed: false,
        toolCalls: false,
      },
      { module: prompt.module, entryPoint: prompt.entry_point, maxTokens: 0, contextLength: null },
    )
    const answer = {
      instance_id,
      ...reading,
      reply,
      finish_reason: finish_reason ?? null,
      usage: null,
      reasoning_characters: 0,
      max_tokens: null,
      attempts: 1,
      latency_ms: 0,
      answered_at: toInstant(io.now() / 1000),
    }
    work.run.journal.record(answer)
    work.onReply()
    work.onReading(answer)
  }
  await work.run.journal.flush()
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const splitter = splitLines()
  for await (const chunk of createReadStream(file)) yield* linesIn(chunk, splitter, file)
  yield* splitter.end()
}

function linesIn(chunk: Uint8Array, splitter: Splitter<string>, file: string): string[] {
  try {
    return splitter.feed(chunk)
  } catch (cause) {
    throw new Failure(EXIT.usage, `${file} holds no recorded replies`, {
      why: messageOf(cause),
      next: 'write one JSON object on each line: {"instance_id": "failmap__…-1", "reply": "…"}',
      cause,
    })
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
