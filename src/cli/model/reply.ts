/**
 * One reply of a model becomes the full text of a module, or a status that says why not.
 * The wrapping is taken off and no character of code is changed; what a reply leaves open is a
 * status and never a guess. Every loosening of a rule is recorded as a note.
 */
import { type Answer, type AnswerFailure, readAnswer, type Task } from './reply-answer.ts'
import { findElisions, missingNames } from './reply-placeholder.ts'
import { findSourceError } from './reply-python.ts'
import {
  countReasoningEnds,
  countReasoningStarts,
  findReasoningStart,
  viewsAfterReasoning,
} from './reply-reasoning.ts'
import { canonicalModule, fileDefect, unifyLineEnds } from './reply-text.ts'

export type ReplyStatus = 'ok' | 'unchanged' | 'placeholder' | AnswerFailure

export type ReplyContext = {
  /** The faulty module of the task: edits apply to it, and quotations of it are no answer. */
  module: string
  /** The function or class that a module of this task defines. */
  entryPoint: string
  /** As the server gave it; `length` and its synonyms mean that the reply was cut. */
  finishReason?: string | undefined
}

export type ReplyOutcome = {
  status: ReplyStatus
  /**
   * Full module text (UTF-8, LF, one final newline) whenever the reply holds one that can be sent:
   * with `ok`, `unchanged`, and with `bad_source`, where the judge and not this client decides.
   */
  module: string | null
  /** Slugs, some with a value: `stray_fence`, `format=diff`, `cause=unclosed_block`. */
  notes: string[]
}

const CUT_REASONS: ReadonlySet<string> = new Set(['length', 'max_tokens', 'model_length'])

/** Reads a reply. Pure: the same reply and context give the same outcome. */
export function replyToModule(reply: string, context: ReplyContext): ReplyOutcome {
  const task: Task = { base: canonicalModule(context.module), entryPoint: context.entryPoint }
  const isCut = CUT_REASONS.has(context.finishReason?.toLowerCase() ?? '')
  const answer = readAfterReasoning(unifyLineEnds(reply), task)
  if (answer.kind === 'module') return settle(answer, task, isCut)
  const { status, notes } = answer
  if (isCut && (status === 'empty' || status === 'no_code' || status === 'bad_source'))
    return { status: 'truncated', module: null, notes: ['cause=length_limit', ...notes] }
  return { status, module: null, notes }
}

/** The first view of the reply in which no reasoning mark is left outside the answer. */
function readAfterReasoning(reply: string, task: Task): Answer {
  let answer: Answer = { kind: 'none', status: 'empty', notes: [] }
  for (const [index, view] of viewsAfterReasoning(reply).entries()) {
    answer = readAnswer(view, task)
    const source = answer.kind === 'module' ? answer.source : ''
    if (countReasoningEnds(view) > countReasoningEnds(source)) continue
    if (countReasoningStarts(view) > countReasoningStarts(source)) answer = readBefore(view, task)
    if (index > 0) answer.notes.push('reasoning_removed')
    if (index > 0 && answer.kind === 'none' && answer.status === 'empty')
      answer.notes.push('cause=reasoning_only')
    break
  }
  return answer
}

/** Reasoning that never ends: only what stands before it can be an answer. */
function readBefore(view: string, task: Task): Answer {
  const answer = readAnswer(view.slice(0, findReasoningStart(view)), task)
  const notes = ['cause=unclosed_reasoning']
  if (answer.kind === 'none') return { kind: 'none', status: 'truncated', notes }
  return { ...answer, notes: [...answer.notes, 'unclosed_reasoning_ignored'] }
}

function settle(
  answer: Extract<Answer, { kind: 'module' }>,
  { base, entryPoint }: Task,
  isCut: boolean,
): ReplyOutcome {
  const module = canonicalModule(answer.text)
  const notes = [...answer.notes]
  if (isCut && !answer.isEnclosed)
    return { status: 'truncated', module: null, notes: ['cause=length_limit', ...notes] }
  if (isCut) notes.push('cut_after_answer')
  const defect = fileDefect(module)
  if (defect !== null) return { status: 'bad_source', module: null, notes: [...notes, defect] }
  if (module === base) return { status: 'unchanged', module, notes }
  const missing = missingNames(module, base)
  if (missing.length > 0) notes.push(`missing_names=${missing.join(',')}`)
  const elisions = findElisions(module, base)
  if (elisions.length > 0)
    return { status: 'placeholder', module: null, notes: [...notes, ...elisions.map(elided)] }
  const error = findSourceError(module)
  if (error !== null) {
    const at = error.codePoint === undefined ? '' : ` (${error.codePoint})`
    return { status: 'bad_source', module, notes: [...notes, `error_at_line=${error.line}${at}`] }
  }
  if (/^(?:[^\n]*\n)?[ \t\f]*#.*?coding[:=]/.test(module)) notes.push('encoding_cookie')
  if (missing.includes(entryPoint)) notes.push('entry_point_missing')
  return { status: 'ok', module, notes }
}

function elided(place: string): string {
  return `elided: ${place}`
}
