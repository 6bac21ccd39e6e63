/**
 * Marks around reasoning text, as the chat templates of DeepSeek-R1, Qwen3, Magistral, Kimi,
 * Command A, Seed-OSS and gpt-oss write them. A mark that touches a quote or a backtick is text
 * about the mark (three of them are a docstring or a fence). The list is closed: an unknown mark is part of the reply.
 */
const NAMES = '(?:seed:)?(?:think|thinking|thought|reasoning|reflection)'
const CLOSE = new RegExp(
  [
    `</${NAMES}>`,
    '\\[/THINK\\]',
    '◁/think▷',
    '<\\|END_THINKING\\|>',
    '<\\|end_of_thought\\|>',
    '<\\|channel\\|>final<\\|message\\|>',
  ]
    .map((mark) => `(?<!['"\`])(?:${mark})(?!['"\`](?!['"\`]{2}))`)
    .join('|'),
  'gi',
)
// Of the blanks before a mark none begins a line: each of those would be tried up to the mark.
const OPEN = new RegExp(
  `^[^\\S\\n\\r\\u2028\\u2029]*(?:<${NAMES}>|\\[THINK\\]|◁think▷|<\\|START_THINKING\\|>|<\\|begin_of_thought\\|>|` +
    `(?:<\\|start\\|>assistant)?<\\|channel\\|>analysis<\\|message\\|>)`,
  'gim',
)

/**
 * The reply without its reasoning, once for every place where the reasoning may end: the whole
 * reply first, then what follows the first closing mark, and so on. The reader takes the first
 * view whose remaining marks all lie inside the answer itself; the last one has none.
 */
export function viewsAfterReasoning(reply: string): string[] {
  const ends = [...reply.matchAll(CLOSE)].map((match) => match.index + match[0].length)
  // Marks by the thousand are a runaway generation: only the last ones can precede an answer.
  return [0, ...ends.slice(-MAX_VIEWS)].map((end) => reply.slice(end))
}

const MAX_VIEWS = 40

export function countReasoningEnds(text: string): number {
  return text.match(CLOSE)?.length ?? 0
}

/** Where reasoning opens at the start of a line, or -1. */
export function findReasoningStart(text: string): number {
  return text.search(OPEN)
}

export function countReasoningStarts(text: string): number {
  return text.match(OPEN)?.length ?? 0
}
