import type { AnswerStatus } from '../workspace/journal-lines.ts'

/** Statuses in which the model's work did not become a patch. */
const LOST: readonly AnswerStatus[] = [
  'empty',
  'no_code',
  'ambiguous',
  'placeholder',
  'truncated',
  'apply_failed',
  'bad_source',
  'too_large',
  'backend_error',
]

const WARN_FROM = 20
const WARN_SHARE = 0.05

/** Statuses of a model that does not do what the prompt asks for. */
const MISFITS: readonly AnswerStatus[] = ['no_code', 'unchanged', 'placeholder']
const MISFIT_SHARE = 0.3

/** What a setting can do about a cause. */
const REMEDIES: Record<string, string> = {
  reasoning_budget: 'the limit was reached while reasoning: raise --max-tokens',
  unclosed_block:
    'a code block that never closes: look for stop strings and the chat template in the server',
  max_tokens: 'the output limit was reached: raise --max-tokens',
  context_full:
    'prompt and answer fill the context: raise it in the server (num_ctx, -c, --max-model-len)',
  reasoning_only: 'the server files answers as reasoning: check its reasoning parser',
  time_limit: 'the time limit was reached: raise --timeout, or lower --max-tokens',
  size_limit: 'replies of over a million characters were cut off',
  tool_calls: 'the server turns answers into tool calls: switch its tool parser off',
  content_filter: 'the server filtered the answer',
}

export const isLost = (status: AnswerStatus): boolean => LOST.includes(status)

/** Counts answers by status and cause, and warns once when many are lost. */
export class LostAnswers {
  answered = 0
  lost = 0
  readonly byStatus = new Map<string, number>()
  readonly byCause = new Map<string, number>()
  #hasWarned = false
  #misfits = 0
  #isFitKnown = false

  add(status: AnswerStatus, cause: string | null): void {
    this.answered += 1
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1)
    if (cause !== null) this.byCause.set(cause, (this.byCause.get(cause) ?? 0) + 1)
    if (isLost(status)) this.lost += 1
    if (MISFITS.includes(status)) this.#misfits += 1
  }

  /** Share of answers without a patch, 0 to 1. */
  get share(): number {
    return this.answered === 0 ? 0 : this.lost / this.answered
  }

  /** A line the first time that more than 5 % of at least 20 answers are lost. */
  warning(): string | null {
    if (this.#hasWarned || this.answered < WARN_FROM || this.share < WARN_SHARE) return null
    this.#hasWarned = true
    return `${this.lost} of ${this.answered} answers are lost: ${this.reasons().join('; ')}`
  }

  /** A line, after the first 20 answers, when over 30 % of them hold no patch in the form asked for. */
  misfitWarning(): string | null {
    if (this.#isFitKnown || this.answered < WARN_FROM) return null
    this.#isFitKnown = true
    if (this.#misfits / this.answered <= MISFIT_SHARE) return null
    return `${this.#misfits} of the first ${this.answered} answers hold no changed module: the form that the prompt asks for does not seem to fit this model`
  }

  /** Why answers were lost, most frequent first, with what a setting can do about it. */
  reasons(): string[] {
    const statuses = [...this.byStatus].filter(([status]) => LOST.some((lost) => lost === status))
    const causes = [...this.byCause]
    return [
      ...statuses.sort(byCount).map(([status, count]) => `${count} ${status}`),
      ...causes.sort(byCount).map(([cause, count]) => `${count} × ${REMEDIES[cause] ?? cause}`),
    ]
  }
}

function byCount(a: [string, number], b: [string, number]): number {
  return b[1] - a[1]
}
