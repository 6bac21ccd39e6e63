/** What a server's complaint about length tells of its window, in tokens. */
export type WindowComplaint = { window: number; prompt: number }

const WINDOW = [
  /maximum context length (?:is|of) (\d+)/i,
  /n_ctx\D{0,6}(\d+)/i,
  /context (?:length|size|window|limit)\D{0,24}(\d+)/i,
  /window\D{0,12}(\d+)/i,
]
const PROMPT = [
  /n_prompt_tokens\D{0,6}(\d+)/i,
  /(\d+) (?:tokens )?(?:in|from) (?:the|your) (?:messages|prompt|input)/i,
  /(?:prompt|input)(?: tokens| length)?\D{0,24}?(\d+)/i,
  /(\d+) input tokens/i,
]

/** Room that is left between the computed output and the edge of the window. */
const MARGIN_TOKENS = 16
const LEAST_USEFUL_TOKENS = 64

/** Reads window and prompt size out of a server's refusal, or null when they are not both there. */
export function readWindowComplaint(message: string): WindowComplaint | null {
  const window = firstNumber(message, WINDOW)
  const prompt = firstNumber(message, PROMPT)
  return window === null || prompt === null || prompt >= window ? null : { window, prompt }
}

/** The output limit that fits, or null when what remains is of no use. */
export function fittingMaxTokens({ window, prompt }: WindowComplaint): number | null {
  const tokens = window - prompt - MARGIN_TOKENS
  return tokens >= LEAST_USEFUL_TOKENS ? tokens : null
}

function firstNumber(text: string, patterns: readonly RegExp[]): number | null {
  for (const pattern of patterns) {
    const found = pattern.exec(text)?.[1]
    if (found !== undefined) return Number(found)
  }
  return null
}
