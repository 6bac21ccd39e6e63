import { z } from 'zod'
import { LIMITS } from './limits.ts'

/** Every way the API and the sandbox can say no. A slug, once released, is never renamed. */
export const PROBLEMS = {
  'json-invalid': {
    status: 400,
    title: 'The body is not strict JSON',
    next: 'Send UTF-8 JSON without duplicate keys, lone surrogates or numbers out of exact range.',
  },
  'body-incomplete': {
    status: 400,
    title: 'The body ended before it was complete',
    next: 'Send the same request again; nothing was stored.',
  },
  'token-missing': {
    status: 401,
    title: 'The request carries no token',
    next: 'Sign the request with a registered key: Authorization: Bearer <token>.',
  },
  'token-invalid': {
    status: 401,
    title: 'The token is not valid for this request',
    next: 'Check that the key is registered here (failmap register) and that the token names this method, path and body.',
  },
  'clock-skew': {
    status: 401,
    title: 'The token is outside its lifetime: the clocks differ or it is too old',
    next: 'Set your clock (compare the two times in the detail), then sign again.',
  },
  'key-revoked': {
    status: 401,
    title: 'The key was revoked',
    next: 'Sign with another key of your organisation, or register a new one (failmap keygen).',
  },
  'signature-invalid': {
    status: 401,
    title: 'The signature does not verify',
    next: 'Sign the exact bytes that you send, with the key that the header names.',
  },
  unauthorized: {
    status: 401,
    title: 'This needs a service credential',
    next: 'Only the operator of this service can do this.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here for you',
    next: 'Check the id. What belongs to another organisation looks the same as what does not exist.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'This path does not know that method',
    next: 'See /docs for the methods of each path.',
  },
  'token-replayed': {
    status: 409,
    title: 'This token was used before',
    next: 'Sign a new token for each request; its jti must be new.',
  },
  'key-taken': {
    status: 409,
    title: 'The key is registered already',
    next: 'Make a new key (failmap keygen); a key belongs to one organisation for ever.',
  },
  'epoch-exists': {
    status: 409,
    title: 'The epoch exists with other content',
    next: 'An epoch never changes once it is stored; choose a new id.',
  },
  'epoch-not-open': {
    status: 409,
    title: 'The epoch does not take submissions yet',
    next: 'Wait for opens_at of the epoch card.',
  },
  'epoch-closed': {
    status: 409,
    title: 'The epoch takes no more submissions',
    next: 'Choose an open epoch from /v1/epochs.',
  },
  'epoch-mismatch': {
    status: 409,
    title: 'The manifest was made for another epoch card or other prompts',
    next: 'Pull the epoch again (failmap pull) and submit against what it says.',
  },
  'prompts-mismatch': {
    status: 409,
    title: 'The prompts are not those of the drawing',
    next: 'Upload the prompts.jsonl that was exported together with drawing.json.',
  },
  'patches-mismatch': {
    status: 409,
    title: 'The patches are not those of the manifest',
    next: 'Send the exact bytes whose digest, size and count the manifest states.',
  },
  'submission-state': {
    status: 409,
    title: 'The submission is past that step',
    next: 'Read its state with GET /v1/submissions/{id}.',
  },
  'submission-conflict': {
    status: 409,
    title: 'Another manifest used this jti',
    next: 'Send the first manifest again unchanged, or sign a new one with a new jti.',
  },
  'protocol-mismatch': {
    status: 409,
    title: 'The two sides speak different versions of the protocol',
    next: 'Deploy the API and the sandbox from the same release.',
  },
  'corpus-mismatch': {
    status: 409,
    title: 'The sandbox holds another corpus than the epoch was drawn from',
    next: 'Start a sandbox with the corpus whose digest the epoch card states.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is larger than allowed',
    next: 'The limits are listed in docs/protocol.md.',
  },
  'media-unsupported': {
    status: 415,
    title: 'The content type or content encoding is not accepted here',
    next: 'Send application/json, or application/x-ndjson with identity or gzip encoding for patches.',
  },
  'body-invalid': {
    status: 422,
    title: 'The body does not have the documented shape',
    next: 'See errors for the places; the shapes are in /openapi.json.',
  },
  'key-invalid': {
    status: 422,
    title: 'The key is not an acceptable Ed25519 public key',
    next: 'Make one with failmap keygen: an OKP JWK with crv Ed25519.',
  },
  'patches-invalid': {
    status: 422,
    title: 'The patches are not one line per task in the order of the prompts',
    next: 'See errors for line numbers; every task of the epoch appears exactly once.',
  },
  'budget-spent': {
    status: 429,
    title: 'The budget of this epoch is used up',
    next: 'Wait for the next epoch, or use an open epoch, which has no budget.',
  },
  'rate-limited': {
    status: 429,
    title: 'Too many requests',
    next: 'Wait for the seconds in Retry-After.',
  },
  internal: {
    status: 500,
    title: 'Something broke on our side',
    next: 'Try again later; quote the id in instance if it stays.',
  },
  busy: {
    status: 503,
    title: 'There is no free capacity at the moment',
    next: 'Send the same request again after the seconds in Retry-After.',
  },
  quarantined: {
    status: 503,
    title: 'The shard was not scored because a control did not hold',
    next: 'The shard is judged again; nothing is counted until its controls hold.',
  },
} as const satisfies Record<string, { status: number; title: string; next: string }>

export type ProblemSlug = keyof typeof PROBLEMS

const isProblemSlug = (slug: string): slug is ProblemSlug => Object.hasOwn(PROBLEMS, slug)

/** The closed list of slugs, in order of status. */
export const PROBLEM_SLUGS: readonly ProblemSlug[] = Object.keys(PROBLEMS).filter(isProblemSlug)

/** One faulty place of a body: an RFC 6901 pointer (or `line N`) and what is wrong there. */
export const faultSchema = z.strictObject({ pointer: z.string(), detail: z.string() })
export type Fault = z.infer<typeof faultSchema>

/** A refusal inside the program; the rim turns it into a problem document. */
export type Refusal = { slug: ProblemSlug; detail?: string; errors?: readonly Fault[] }

/** RFC 9457 document; `type` is `<origin>/problems/<slug>`, `instance` names the request. */
export const problemSchema = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  instance: z.string().optional(),
  detail: z.string().optional(),
  errors: z.array(faultSchema).optional(),
})
export type Problem = z.infer<typeof problemSchema>

/** The problem document of a refusal, seen from `origin` (no trailing slash). */
export function toProblem(refusal: Refusal, origin: string, instance?: string): Problem {
  const { status, title } = PROBLEMS[refusal.slug]
  return {
    type: `${origin}/problems/${refusal.slug}`,
    title,
    status,
    ...(instance === undefined ? {} : { instance }),
    ...(refusal.detail === undefined ? {} : { detail: refusal.detail }),
    ...(refusal.errors === undefined ? {} : { errors: [...refusal.errors] }),
  }
}

/** The slug of a problem document of any origin, or undefined when it is not one of ours. */
export function problemSlug(problem: Pick<Problem, 'type'>): ProblemSlug | undefined {
  const slug = problem.type.slice(problem.type.lastIndexOf('/') + 1)
  return isProblemSlug(slug) ? slug : undefined
}

/** Places of a failed parse as faults, without any value of the body. */
export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.slice(0, LIMITS.listedFaults).map((issue) => ({
    pointer: issue.path.map((part) => `/${escapePointer(String(part))}`).join(''),
    detail: issue.code === 'unrecognized_keys' ? 'unknown key' : issue.message,
  }))
}

const escapePointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1')
