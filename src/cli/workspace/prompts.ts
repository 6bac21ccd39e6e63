import { closeSync, openSync } from 'node:fs'
import { z } from 'zod'
import { type Prompt, promptSchema } from '../../protocol/prompt.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { type Position, scanLines, TextReader } from './line-scan.ts'

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
  readonly #reader: TextReader

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r')
    this.#reader = new TextReader(this.#descriptor)
    this.tasks = indexLines(this.#descriptor, file)
    this.#byId = new Map(this.tasks.map((task) => [task.instanceId, task]))
  }

  find(instanceId: string): TaskEntry | undefined {
    return this.#byId.get(instanceId)
  }

  /** The parts of a prompt that a model run needs. */
  asked(task: TaskEntry): AskedPrompt {
    return askedSchema.parse(JSON.parse(this.#reader.read(task)))
  }

  /** UTF-8 of the prompt as the inside of a JSON string, until the next call. */
  promptJson(task: TaskEntry): Buffer {
    if (task.promptJson !== null) return this.#reader.bytes(task.promptJson)
    return insideOf(this.asked(task).prompt)
  }

  /** The whole line, checked. */
  whole(task: TaskEntry): Prompt {
    return promptSchema.parse(JSON.parse(this.#reader.read(task)))
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function indexLines(descriptor: number, file: string): TaskEntry[] {
  const tasks: TaskEntry[] = []
  scanLines(descriptor, (line, position, bytes) => {
    tasks.push(toEntry(line, position, bytes, file))
  })
  return tasks
}

function toEntry(line: string, position: Position, bytes: Buffer, file: string): TaskEntry {
  const parsed = entrySchema.safeParse(JSON.parse(line))
  if (!parsed.success) {
    throw new Failure(EXIT.usage, `${file} is not the prompts of this client's version`, {
      next: 'update the client, then: failmap pull',
    })
  }
  const { instance_id, category, domain, part, prompt } = parsed.data
  const promptBytes = Buffer.byteLength(prompt)
  const promptJson = findWithin(bytes, position, insideOf(prompt))
  return { instanceId: instance_id, category, domain, part, ...position, promptBytes, promptJson }
}

const insideOf = (text: string): Buffer => Buffer.from(JSON.stringify(text).slice(1, -1))

/** Any place will do, of whatever member: the same bytes are the same text. */
function findWithin(bytes: Buffer, { offset }: Position, wanted: Buffer): Position | null {
  const at = bytes.indexOf(wanted)
  return at === -1 ? null : { offset: offset + at, length: wanted.length }
}
