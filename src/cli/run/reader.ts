import { readText } from '../model/reading.ts'
import type { Journal } from '../workspace/journal.ts'
import type { Reading } from '../workspace/journal-lines.ts'
import type { Prompts } from '../workspace/prompts.ts'

/** Time without a new reply after which one is read. */
const QUIET_MS = 10
/** Average time between replies from which reading has room between them: it takes 5-10 ms each. */
const ROOM_MS = 50
/** Share of the newest gap in that average. */
const NEWEST = 1 / 16

export type ReaderOptions = {
  journal: Journal
  prompts: Prompts
  contextLength: number | null
  now: () => number
  onReading: (reading: Pick<Reading, 'status' | 'cause'>) => void
}

/**
 * Reads kept replies into modules while the server is busy, and the rest afterwards.
 *
 * Reading takes milliseconds of computing for each reply. Between answers of a fast server it would
 * hold up the next question, so it waits for a quiet moment: a machine's time is cheap, the
 * model's is not.
 */
export class Reader {
  readonly #options: ReaderOptions
  #waiting: string[]
  #lastArrival = 0
  #gap = 0
  #isAsking = true
  #working: Promise<void> | null = null
  #failure: unknown = null

  /** Replies that an interrupted run left unread come first. */
  constructor(options: ReaderOptions) {
    this.#options = options
    this.#waiting = options.journal.unread()
    if (this.#waiting.length > 0) this.#start()
  }

  add(instanceId: string): void {
    this.#waiting.push(instanceId)
    const now = this.#options.now()
    if (this.#lastArrival > 0) this.#gap += (now - this.#lastArrival - this.#gap) * NEWEST
    this.#lastArrival = now
    this.#start()
  }

  /** Nothing more comes: reads the rest, unless the signal says that there is no time. */
  async finish(stop: AbortSignal): Promise<void> {
    this.#isAsking = false
    if (stop.aborted) this.#waiting = []
    const drop = () => {
      this.#waiting = []
    }
    stop.addEventListener('abort', drop, { once: true })
    try {
      while (this.#working !== null) await this.#working
    } finally {
      stop.removeEventListener('abort', drop)
    }
    if (this.#failure !== null) throw this.#failure
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = null
    })
  }

  async #work(): Promise<void> {
    try {
      for (;;) {
        await pause(this.#isAsking ? QUIET_MS : 0)
        if (this.#isAsking && !this.#isQuiet()) continue
        const instanceId = this.#waiting.shift()
        if (instanceId === undefined) return
        this.#read(instanceId)
      }
    } catch (error) {
      this.#failure = error
      this.#waiting = []
    }
  }

  /** A busy machine makes pauses between the answers of a fast server: one alone says little. */
  #isQuiet(): boolean {
    const silence = this.#options.now() - this.#lastArrival
    return silence >= QUIET_MS && Math.max(silence, this.#gap) >= ROOM_MS
  }

  #read(instanceId: string): void {
    const { journal, prompts, contextLength, onReading } = this.#options
    const kept = journal.readReply(instanceId)
    const task = prompts.find(instanceId)
    if (kept === undefined || task === undefined) return
    const prompt = prompts.asked(task)
    const { usage } = kept
    const reading = readText(
      {
        content: kept.reply,
        finishReason: kept.finish_reason,
        usage:
          usage === null
            ? null
            : { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens },
      },
      {
        module: prompt.module,
        entryPoint: prompt.entry_point,
        maxTokens: kept.max_tokens ?? 0,
        contextLength,
      },
    )
    journal.recordReading(instanceId, reading)
    onReading(reading)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (ms === 0) setImmediate(resolve)
    else setTimeout(resolve, ms)
  })
}

/** Reads what an interrupted run left unread, for commands that need every patch. */
export async function readKept(
  journal: Journal,
  prompts: Prompts,
  { now, interrupted }: { now: () => number; interrupted: AbortSignal },
): Promise<void> {
  const contextLength = journal.header.settings.num_ctx
  const reader = new Reader({ journal, prompts, contextLength, now, onReading: () => {} })
  await reader.finish(interrupted)
}
