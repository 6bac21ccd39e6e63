/**
 * Control tokens of chat and base models that servers leak into the text when a template does
 * not fit. Closed list, matched exactly; the tokens of DeepSeek use a full-width bar.
 */
const TURN_END = [
  '<|im_end|>',
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|end_of_text|>',
  '<|end|>',
  '<|return|>',
  '<|EOT|>',
  '<|END_OF_TURN_TOKEN|>',
  '<|END_RESPONSE|>',
  '<|end_of_solution|>',
  '<|file_sep|>',
  '<|fim_pad|>',
  '<｜end▁of▁sentence｜>',
  '<end_of_turn>',
  '<file_sep>',
  '<eos>',
  '</s>',
] as const
const TURN_START = [
  '<|im_start|>',
  '<|start_header_id|>',
  '<|end_header_id|>',
  '<|begin_of_text|>',
  '<|start|>',
  '<|message|>',
  '<|assistant|>',
  '<|START_OF_TURN_TOKEN|>',
  '<|CHATBOT_TOKEN|>',
  '<|START_RESPONSE|>',
  '<|begin_of_solution|>',
  '<｜begin▁of▁sentence｜>',
  '<｜Assistant｜>',
  '<start_of_turn>',
  '[/INST]',
  '<bos>',
  '<s>',
] as const

const anyOf = (tokens: readonly string[]) =>
  `(?:${tokens.map((token) => token.replace(/[|[\]/\\]/g, '\\$&')).join('|')})`
const LEADING = new RegExp(
  `^(?:\\s*${anyOf([...TURN_START, ...TURN_END])}(?:(?:assistant|model)(?=\\s|<))?)+[^\\S\\n]*\\n?`,
)
const ENDS_TURN = new RegExp(`(?<!['"\`])${anyOf(TURN_END)}(?!['"\`])`)

/** Takes leaked tokens off both ends; a role name that belongs to an opening token goes too. */
export function stripEdgeTokens(text: string): string {
  return stripTrailingTokens(text.replace(LEADING, ''))
}

export function stripTrailingTokens(text: string): string {
  const code = stripEnd(text, [...TURN_END, ...TURN_START])
  return code === text ? text : `${code.trimEnd()}\n`
}

/** One line without the tokens at its end, so that a fence followed by a token is a fence. */
export function stripLineTokens(line: string): string {
  return stripEnd(line, TURN_END)
}

function stripEnd(text: string, tokens: readonly string[]): string {
  let rest = text
  for (;;) {
    const bare = rest.trimEnd()
    const token = tokens.find((end) => bare.endsWith(end))
    if (token === undefined) return rest
    rest = bare.slice(0, -token.length)
  }
}

/** Whether the model's turn ends in this line: what follows was written for another turn. */
export function endsTurn(line: string): boolean {
  return ENDS_TURN.test(line)
}
