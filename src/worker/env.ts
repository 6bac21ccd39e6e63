import type { Progress } from './durable/progress.ts'
import type { Quota } from './durable/quota.ts'
import type { Tokens } from './durable/tokens.ts'
import type { SandboxContainer } from './sandbox/container.ts'

/** The bindings of wrangler.toml and the secrets of the deployment. */
export type Env = {
  DB: D1Database
  BLOBS: R2Bucket
  WORK: Queue<unknown>
  ASSETS: Fetcher
  PROGRESS: DurableObjectNamespace<Progress>
  QUOTA: DurableObjectNamespace<Quota>
  TOKENS: DurableObjectNamespace<Tokens>
  SANDBOX: DurableObjectNamespace<SandboxContainer>
  REGISTRATION_RATE: RateLimit
  SUBMISSION_RATE: RateLimit
  /** The address of this API, e.g. `https://failmap.example`. Optional in development only. */
  ORIGIN?: string
  /** `development` accepts an unconfined sandbox and plain-text logs; anything else is production. */
  ENVIRONMENT: string
  /** Where a sandbox listens; absent = the container binding is used. */
  SANDBOX_URL?: string
  SANDBOX_TOKEN: string
  OPERATOR_TOKEN: string
  /** JSON object: epoch id -> root key (32 bytes, base64url). */
  EPOCH_KEYS: string
  /** Private JWK (Ed25519) that signs reports. */
  REPORT_SIGNING_KEY: string
  /** JSON list of public JWKs that signed earlier reports. */
  RETIRED_REPORT_KEYS?: string
  /** Seconds without any sign of life after which a submission's shards are queued again. */
  LOST_AFTER_SECONDS?: string
}
