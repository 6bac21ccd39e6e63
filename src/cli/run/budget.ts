/** Bytes of English and code per token, on the low side: a short estimate cuts prompts off. */
const BYTES_PER_TOKEN = 2.8
const TEMPLATE_TOKENS = 64
const DEFAULT_MAX_TOKENS = 8192
const LEAST_MAX_TOKENS = 256
const CONTEXT_STEP = 1024

export const estimateTokens = (bytes: number): number =>
  Math.ceil(bytes / BYTES_PER_TOKEN) + TEMPLATE_TOKENS

export type BudgetWish = {
  /** Of the longest prompt of the epoch, so that subsets of one run share their settings. */
  longestPromptBytes: number
  maxTokens: number | null
  numCtx: number | null
  /** What the server can hold, if it tells. */
  contextLength: number | null
  /** Whether a request chooses the context length (Ollama). */
  choosesContext: boolean
}

export type Budget = { maxTokens: number; numCtx: number | null; notices: string[] }

/** Output limit and context length that hold the longest prompt, within what the model can. */
export function planBudget(wish: BudgetWish): Budget {
  const prompt = estimateTokens(wish.longestPromptBytes)
  const window = wish.numCtx ?? wish.contextLength
  const fitting = window === null ? DEFAULT_MAX_TOKENS : window - prompt
  const maxTokens =
    wish.maxTokens ?? Math.max(LEAST_MAX_TOKENS, Math.min(DEFAULT_MAX_TOKENS, fitting))
  const notices: string[] = []
  if (window !== null && prompt + LEAST_MAX_TOKENS > window) {
    notices.push(
      `the longest prompt needs about ${prompt} tokens, the context holds ${window}: long tasks will be lost; raise the context length in the server`,
    )
  }
  if (!wish.choosesContext) return { maxTokens, numCtx: null, notices }
  const needed = Math.ceil((prompt + maxTokens) / CONTEXT_STEP) * CONTEXT_STEP
  const numCtx = wish.numCtx ?? Math.min(needed, wish.contextLength ?? needed)
  return { maxTokens, numCtx, notices }
}
