import { LIMITS } from '../../protocol/limits.ts'
import { utf8Length } from '../../protocol/text.ts'
import type { Reading } from '../workspace/journal-lines.ts'
import type { Completion } from './completion.ts'
import { replyToModule } from './reply.ts'

/** What an answer was allowed to take, in tokens. */
export type TokenLimits = {
  maxTokens: number
  /** Tokens the server can hold, if known. */
  contextLength: number | null
}

export type ReadingContext = TokenLimits & { module: string; entryPoint: string }

const CUT_OFF = ['length', 'time_limit', 'size_limit']
/** We ended these ourselves, in the middle: there is no whole answer to look for. */
const OUR_LIMITS = ['time_limit', 'size_limit']

/** What a reading needs of a completion; a kept reply has it too. */
export type Readable = Pick<Completion, 'content' | 'finishReason' | 'usage'>

/** Turns a completion into a patch. The reasoning channel is never searched for code. */
export function readCompletion(completion: Completion, context: ReadingContext): Reading {
  return readWithoutText(completion, context) ?? readText(completion, context)
}

/** The reading of a completion that holds no text to look into; else null. Costs next to nothing. */
export function readWithoutText(completion: Completion, limits: TokenLimits): Reading | null {
  if (completion.content.trim() === '') return readEmpty(completion, limits)
  const { finishReason } = completion
  return finishReason !== null && OUR_LIMITS.includes(finishReason)
    ? { status: 'truncated', cause: finishReason, module: null, notes: [] }
    : null
}

/** Looks for the module in the text of a reply: milliseconds, more for a long one. */
export function readText(readable: Readable, context: ReadingContext): Reading {
  const { content, finishReason } = readable
  const read = replyToModule(content, {
    module: context.module,
    entryPoint: context.entryPoint,
    ...(finishReason === null ? {} : { finishReason }),
  })
  if (read.module !== null && utf8Length(read.module) > LIMITS.moduleBytes) {
    return { status: 'too_large', cause: null, module: null, notes: read.notes }
  }
  const cause = read.status === 'truncated' ? endOf(readable, context) : null
  return { status: read.status, cause, module: read.module, notes: read.notes }
}

function readEmpty(completion: Completion, limits: TokenLimits): Reading {
  const isCutOff = CUT_OFF.includes(completion.finishReason ?? '')
  const hasReasoned = completion.reasoning.trim() !== ''
  const none = { module: null, notes: [] }
  if (isCutOff && hasReasoned) return { ...none, status: 'truncated', cause: 'reasoning_budget' }
  if (isCutOff) return { ...none, status: 'truncated', cause: limitReached(completion, limits) }
  if (hasReasoned) return { ...none, status: 'empty', cause: 'reasoning_only' }
  if (completion.toolCalls) return { ...none, status: 'empty', cause: 'tool_calls' }
  const cause = completion.finishReason === 'content_filter' ? 'content_filter' : null
  return { ...none, status: 'empty', cause }
}

/** A server that says that the model was done, in the middle of a block: no limit of ours helps. */
function endOf(readable: Readable, limits: TokenLimits): string {
  const isCutOff = CUT_OFF.includes(readable.finishReason ?? '')
  return isCutOff ? limitReached(readable, limits) : 'unclosed_block'
}

/** Which limit ended the text: ours in time or size, the allowed output, or the window. */
function limitReached({ finishReason, usage }: Readable, limits: TokenLimits): string {
  if (finishReason !== null && OUR_LIMITS.includes(finishReason)) return finishReason
  const prompt = usage?.promptTokens ?? null
  const written = usage?.completionTokens ?? null
  if (prompt === null || written === null) return 'max_tokens'
  const hasReachedWindow = limits.contextLength !== null && prompt + written >= limits.contextLength
  // Far fewer tokens than were allowed: something other than our limit ended the text.
  const isFarBelowLimit = written < limits.maxTokens / 2 && written <= prompt
  return hasReachedWindow || isFarBelowLimit ? 'context_full' : 'max_tokens'
}
