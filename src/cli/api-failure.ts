import { PROBLEMS, type ProblemSlug, problemSchema, problemSlug } from '../protocol/problem.ts'
import { EXIT, type Exit } from './exit.ts'
import { codeOf, Failure, messageOf } from './failure.ts'
import { looksLikeHtml, shown } from './model/call-failure.ts'
import { StallLimitReached } from './model/stall-watch.ts'
import type { TransportResponse } from './model/transport.ts'

const EXITS: Partial<Record<ProblemSlug, Exit>> = {
  'token-missing': EXIT.key,
  'token-invalid': EXIT.key,
  'clock-skew': EXIT.key,
  'key-revoked': EXIT.key,
  'signature-invalid': EXIT.key,
  'key-taken': EXIT.key,
  'key-invalid': EXIT.key,
  'token-replayed': EXIT.key,
  'budget-spent': EXIT.budget,
  'rate-limited': EXIT.api,
  'body-incomplete': EXIT.api,
  internal: EXIT.api,
  busy: EXIT.api,
  quarantined: EXIT.api,
}

/** Temporary by their nature: the same request may pass a little later. */
const PASSING: readonly ProblemSlug[] = ['rate-limited', 'busy', 'body-incomplete', 'internal']

/** The refusal of the API in words: its title, its detail and the command that helps. */
export function failureOfRefusal(what: string, response: TransportResponse, text: string): Failure {
  const problem = readProblem(text)
  const slug = problem === null ? undefined : problemSlug(problem)
  if (problem === null || slug === undefined) {
    const isHtml = looksLikeHtml(response.header('content-type'), text)
    return new Failure(EXIT.api, `${what} answered ${response.status}`, {
      why: `${isHtml ? 'a web page, not the API (a proxy or a sign-in page?)' : 'it says'}: ${shown(text)}`,
      next: 'check --api-url; failmap doctor shows the route to it',
    })
  }
  const faults = problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? []
  const why = [problem.detail, ...faults.slice(0, 5)].filter((part) => part !== undefined)
  return new ApiRefusal(EXITS[slug] ?? EXIT.refused, slug, `${problem.title} (${slug})`, {
    why: why.length === 0 ? undefined : why.map(shownWhole).join('; '),
    next: PROBLEMS[slug].next,
  })
}

/** A refusal with its slug, for commands that react to some of them. */
export class ApiRefusal extends Failure {
  readonly slug: ProblemSlug

  constructor(
    exit: Exit,
    slug: ProblemSlug,
    what: string,
    explanation: { why?: string | undefined; next?: string | undefined },
  ) {
    super(exit, what, explanation)
    this.slug = slug
  }
}

/** Whether the same request may pass a little later. */
export function isWorthAgain(status: number, text: string): boolean {
  const problem = readProblem(text)
  const slug = problem === null ? undefined : problemSlug(problem)
  return slug === undefined ? status >= 500 || status === 429 : PASSING.includes(slug)
}

/** @param hasStarted - an answer had begun */
export function unreachable(
  thrown: unknown,
  what: string,
  origin: string,
  hasStarted: boolean,
): Failure {
  if (thrown instanceof StallLimitReached) return stalled(thrown, what)
  const code = codeOf(thrown)
  return new Failure(EXIT.api, `${what} ${hasStarted ? 'broke off' : 'got no answer'}`, {
    why: [code, messageOf(thrown)].filter((part) => part !== undefined && part !== '').join(': '),
    next:
      code === 'ECONNREFUSED'
        ? `is the API running at ${origin}? (npm start), or give --api-url`
        : 'check the network and --api-url; nothing is lost, the command can be repeated',
    cause: thrown,
  })
}

function stalled(thrown: StallLimitReached, what: string): Failure {
  return new Failure(EXIT.api, `${what} came to a standstill`, {
    why: thrown.message,
    next: 'check network, VPN and proxy (failmap doctor), then repeat the command: nothing is lost; a line that is only slow gets more time by FAILMAP_STALL_SECONDS=600',
    cause: thrown,
  })
}

function readProblem(text: string) {
  try {
    return problemSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Our own API's words: one line, without control characters. */
function shownWhole(text: string): string {
  return text.replace(/\p{C}+/gu, ' ').slice(0, 400)
}
