import { z } from 'zod'
import { type Signer, toSigner } from '../protocol/jws.ts'
import { readPrivateJwk } from '../protocol/keys.ts'
import { normaliseOrigin } from '../protocol/origin.ts'
import type { WorkMessage } from '../protocol/shard.ts'
import { callByName } from './durable/stub.ts'
import type { Env } from './env.ts'
import { createLog, type Log } from './log.ts'
import { containerSandbox } from './sandbox/container.ts'
import { httpSandbox } from './sandbox/http.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { type Blobs, openBlobs } from './store/blobs.ts'
import { type Database, openDatabase } from './store/database.ts'

/** Everything outside the program, behind narrow interfaces: tests and other platforms pass their own. */
export type Deps = {
  /** Milliseconds since 1970. */
  now(): number
  /** Fresh random bytes. */
  random(bytes: number): Uint8Array
  log: Log
  db: Database
  blobs: Blobs
  sandbox: Sandbox
  work: WorkQueue
  progress: ProgressCounter
  quota: QuotaLedger
  tokens: TokenLedger
  rates: Rates
  /** Signs reports. */
  signer(): Promise<Signer>
  settings: Settings
}

export type WorkQueue = {
  /** Queues messages, of which a queue takes 100 and 256 KB at a time. */
  send(messages: WorkMessage[], delaySeconds?: number): Promise<void>
}
export type ProgressCounter = {
  mark(
    submission: string,
    category: string,
    total: number,
  ): Promise<{ done: number; complete: boolean }>
}
export type QuotaLedger = {
  take(budget: string, submission: string, limit: number): Promise<boolean>
  giveBack(budget: string, submission: string): Promise<void>
}
/** Whether one more request of `who` is within its rate; counted by place and roughly, as a brake. */
export type Rates = {
  registration(who: string): Promise<boolean>
  submission(who: string): Promise<boolean>
}
export type TokenLedger = {
  spend(key: string, jti: string, until: number, now: number): Promise<boolean>
}

export type Settings = {
  development: boolean
  environment: string
  /** The address that tokens and manifests must name; null = each request's own, in development. */
  origin: string | null
  operatorToken: string
  epochKeys: ReadonlyMap<string, string>
  signingKey: unknown
  /** Public keys that signed earlier reports and sign no more. */
  retiredKeys: unknown[]
  lostAfterMilliseconds: number
}

const secretsSchema = z.object({
  ENVIRONMENT: z.string().min(1),
  ORIGIN: z.string().optional(),
  OPERATOR_TOKEN: z.string().min(16),
  SANDBOX_TOKEN: z.string().min(16),
  EPOCH_KEYS: z.preprocess(parseJson, z.record(z.string(), z.string())),
  REPORT_SIGNING_KEY: z.preprocess(parseJson, z.record(z.string(), z.unknown())),
  RETIRED_REPORT_KEYS: z.preprocess(
    (text) => parseJson(text ?? '[]'),
    z.array(z.record(z.string(), z.unknown())),
  ),
  LOST_AFTER_SECONDS: z.coerce.number().int().min(1).default(300),
})

/** Reads the settings at the door; the message names what is wrong and never shows a value. */
export function readSettings(env: Env): Settings {
  const parsed = secretsSchema.safeParse(env)
  if (!parsed.success) {
    const names = parsed.error.issues.map((issue) => String(issue.path[0]))
    throw new Error(`missing or malformed settings: ${[...new Set(names)].join(', ')}`)
  }
  const secrets = parsed.data
  const development = secrets.ENVIRONMENT === 'development'
  const origin = secrets.ORIGIN === undefined ? null : (normaliseOrigin(secrets.ORIGIN) ?? null)
  if (origin === null && !development) throw new Error('missing or malformed settings: ORIGIN')
  return {
    development,
    environment: secrets.ENVIRONMENT,
    origin,
    operatorToken: secrets.OPERATOR_TOKEN,
    epochKeys: new Map(Object.entries(secrets.EPOCH_KEYS)),
    signingKey: secrets.REPORT_SIGNING_KEY,
    retiredKeys: secrets.RETIRED_REPORT_KEYS,
    lostAfterMilliseconds: secrets.LOST_AFTER_SECONDS * 1000,
  }
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

const built = new WeakMap<Env, Deps>()

/** The real world of one deployment; built once an isolate. */
export function dependencies(env: Env): Deps {
  const known = built.get(env)
  if (known !== undefined) return known
  const deps = build(env)
  built.set(env, deps)
  return deps
}

/** The signer of a private JWK; a malformed key is an operator's mistake that no request can mend. */
async function openSigner(jwk: unknown): Promise<Signer> {
  const key = readPrivateJwk(jwk)
  const signer = key.ok ? await toSigner(key.value) : key
  if (!signer.ok) throw new Error('REPORT_SIGNING_KEY is not an Ed25519 private JWK')
  return signer.value
}

function build(env: Env): Deps {
  const settings = readSettings(env)
  let signer: Promise<Signer> | undefined
  const now = () => Date.now()
  const pause = (attempt: number) =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 20 * 2 ** attempt * (0.5 + Math.random()))
    })
  return {
    now,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    log: createLog((line) => console.log(line), now),
    db: openDatabase(env.DB, pause),
    blobs: openBlobs(env.BLOBS, pause),
    sandbox:
      env.SANDBOX_URL === undefined
        ? containerSandbox(env.SANDBOX, env.SANDBOX_TOKEN, now)
        : httpSandbox(env.SANDBOX_URL, env.SANDBOX_TOKEN, (...call) => fetch(...call), now),
    work: workQueue(env.WORK),
    progress: {
      mark: (submission, category, total) =>
        callByName(env.PROGRESS, submission, (stub) => stub.mark(category, total)),
    },
    quota: {
      take: async (budget, submission, limit) =>
        (await callByName(env.QUOTA, budget, (stub) => stub.take(submission, limit))).granted,
      giveBack: (budget, submission) =>
        callByName(env.QUOTA, budget, (stub) => stub.giveBack(submission)),
    },
    tokens: {
      spend: (key, jti, until, seconds) =>
        callByName(env.TOKENS, key, (stub) => stub.spend(jti, until, seconds)),
    },
    rates: {
      registration: async (key) => (await env.REGISTRATION_RATE.limit({ key })).success,
      submission: async (key) => (await env.SUBMISSION_RATE.limit({ key })).success,
    },
    signer: () => {
      signer ??= openSigner(settings.signingKey)
      return signer
    },
    settings,
  }
}

const MESSAGES_A_BATCH = 100

function workQueue(queue: Queue<unknown>): WorkQueue {
  return {
    async send(messages, delaySeconds) {
      const options = delaySeconds === undefined ? {} : { delaySeconds }
      for (let start = 0; start < messages.length; start += MESSAGES_A_BATCH) {
        const batch = messages.slice(start, start + MESSAGES_A_BATCH)
        await queue.sendBatch(
          batch.map((body) => ({ body, ...options })),
          options,
        )
      }
    },
  }
}
