import { closeSync, openSync, readSync } from 'node:fs'
import { z } from 'zod'
import { type Prompt, promptSchema } from '../../protocol/prompt.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'

/** What is kept in memory of a task; its prompt is read when it is asked. */
export type TaskEntry = {
  instanceId: string
  category: string
  domain: string
  part: Prompt['part']
  offset: number
  length: number
  /** UTF-8 bytes of the prompt text, for the context length. */
  promptBytes: number
}

const LF = 0x0a
const READ_BYTES = 1 << 20

/* The file has the digest that the epoch card states, so lines are read for what is used only. */
const entrySchema = z.object({
  instance_id: z.string(),
  category: z.string(),
  domain: z.string(),
  part: promptSchema.shape.part,
  prompt: z.string(),
})
const askedSchema = z.object({
  module: z.string(),
  entry_point: z.string(),
  prompt: z.string(),
  prompt_version: z.number(),
})
export type AskedPrompt = z.infer<typeof askedSchema>

/** The prompts of an epoch in canonical order, read from the file as needed. */
export class Prompts {
  readonly tasks: readonly TaskEntry[]
  readonly #byId: Map<string, TaskEntry>
  readonly #descriptor: number

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r')
    this.tasks = indexLines(this.#descriptor, file)
    this.#byId = new Map(this.tasks.map((task) => [task.instanceId, task]))
  }

  find(instanceId: string): TaskEntry | undefined {
    return this.#byId.get(instanceId)
  }

  /** The parts of a prompt that a model run needs. */
  asked(task: TaskEntry): AskedPrompt {
    return askedSchema.parse(JSON.parse(this.#line(task)))
  }

  /** The whole line, checked. */
  whole(task: TaskEntry): Prompt {
    return promptSchema.parse(JSON.parse(this.#line(task)))
  }

  #line({ offset, length }: TaskEntry): string {
    const buffer = Buffer.allocUnsafe(length)
    readSync(this.#descriptor, buffer, 0, length, offset)
    return buffer.toString('utf8')
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function indexLines(descriptor: number, file: string): TaskEntry[] {
  const tasks: TaskEntry[] = []
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  let rest: Buffer = Buffer.alloc(0)
  let restAt = 0
  for (let at = 0; ; ) {
    const got = readSync(descriptor, buffer, 0, READ_BYTES, at)
    if (got === 0) break
    at += got
    const chunk = Buffer.concat([rest, buffer.subarray(0, got)])
    let from = 0
    for (let to = chunk.indexOf(LF); to !== -1; to = chunk.indexOf(LF, from)) {
      const offset = restAt + from
      tasks.push(toEntry(chunk.toString('utf8', from, to), offset, to - from, file))
      from = to + 1
    }
    rest = Buffer.from(chunk.subarray(from))
    restAt += from
  }
  return tasks
}

function toEntry(line: string, offset: number, length: number, file: string): TaskEntry {
  const parsed = entrySchema.safeParse(JSON.parse(line))
  if (!parsed.success) {
    throw new Failure(EXIT.usage, `${file} is not the prompts of this client's version`, {
      next: 'update the client, then: failmap pull',
    })
  }
  const { instance_id, category, domain, part, prompt } = parsed.data
  const promptBytes = Buffer.byteLength(prompt)
  return { instanceId: instance_id, category, domain, part, offset, length, promptBytes }
}
