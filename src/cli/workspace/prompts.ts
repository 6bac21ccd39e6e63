import { z } from 'zod'
import { type Prompt, promptSchema } from '../../protocol/prompt.ts'
import type { PulledEpoch } from './epochs.ts'
import type { Position } from './line-scan.ts'
import { PromptsFile, type Stated } from './prompts-file.ts'

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
  /** Where the text stands as the inside of a JSON string; null where the file escapes it oddly. */
  promptJson: Position | null
}

/* A pulled file has the digest that its card states, so lines are read for what is used only. */
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
  readonly #byId = new Map<string, TaskEntry>()
  readonly #file: PromptsFile

  /** @throws Failure when the file is not what is stated, or none of its form */
  constructor(file: string, stated: Stated | null = null) {
    this.#file = new PromptsFile(file, stated)
    try {
      this.#file.scan((line, position, bytes) => this.#add(line, position, bytes))
    } catch (error) {
      this.#file.close()
      throw error
    }
    this.tasks = [...this.#byId.values()]
  }

  /** The prompts of a pulled epoch. @throws Failure when the file is not the one it was pulled as */
  static open({ view: { card }, promptsFile }: PulledEpoch): Prompts {
    return new Prompts(promptsFile, { epoch: card.id, sha256: card.prompts.sha256 })
  }

  /** What is wrong with the line, or null. */
  #add(line: string, position: Position, bytes: Buffer): string | null {
    const value = parse(line)
    if (value === undefined) return 'is not JSON'
    const task = toEntry(value, position, bytes)
    if (task === null) return 'is no task'
    if (this.#byId.has(task.instanceId)) return `is a second one for ${task.instanceId}`
    this.#byId.set(task.instanceId, task)
    return null
  }

  find(instanceId: string): TaskEntry | undefined {
    return this.#byId.get(instanceId)
  }

  /** The parts of a prompt that a model run needs. */
  asked(task: TaskEntry): AskedPrompt {
    return askedSchema.parse(JSON.parse(this.#file.bytes(task).toString()))
  }

  /** UTF-8 of the prompt as the inside of a JSON string, until the next call. */
  promptJson(task: TaskEntry): Buffer {
    if (task.promptJson !== null) return this.#file.bytes(task.promptJson)
    return insideOf(this.asked(task).prompt)
  }

  /** The whole line, checked. */
  whole(task: TaskEntry): Prompt {
    return promptSchema.parse(JSON.parse(this.#file.bytes(task).toString()))
  }

  close(): void {
    this.#file.close()
  }
}

/** Null where the line is no task. */
function toEntry(value: unknown, position: Position, bytes: Buffer): TaskEntry | null {
  const parsed = entrySchema.safeParse(value)
  if (!parsed.success) return null
  const { instance_id, category, domain, part, prompt } = parsed.data
  const promptBytes = Buffer.byteLength(prompt)
  const promptJson = findWithin(bytes, position, insideOf(prompt))
  return { instanceId: instance_id, category, domain, part, ...position, promptBytes, promptJson }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const insideOf = (text: string): Buffer => Buffer.from(JSON.stringify(text).slice(1, -1))

/** Any place will do, of whatever member: the same bytes are the same text. */
function findWithin(bytes: Buffer, { offset }: Position, wanted: Buffer): Position | null {
  const at = bytes.indexOf(wanted)
  return at === -1 ? null : { offset: offset + at, length: wanted.length }
}
