import type { Body } from '../body.ts'
import type { Deps } from '../deps.ts'
import type { Env } from '../env.ts'

/** Who signed the request. */
export type Caller = { organisation: string; key: string }

export type AppVariables = {
  deps: Deps
  requestId: string
  /** The address of this API as tokens, manifests and problem types name it. */
  origin: string
}

/** What middleware leaves for every handler. */
export type AppEnv = { Bindings: Env; Variables: AppVariables }

/** Behind `signed`. */
export type SignedEnv = { Bindings: Env; Variables: AppVariables & { caller: Caller } }

/** Behind `signedIfToken`. */
export type MaybeSignedEnv = { Bindings: Env; Variables: AppVariables & { caller?: Caller } }

/** Behind `signedStream`: the digest of the identity-coded body that the token was made for. */
export type SignedStreamEnv = {
  Bindings: Env
  Variables: AppVariables & { caller: Caller; bodySha256: string }
}

/** Behind `streamed`. */
export type StreamEnv = { Bindings: Env; Variables: AppVariables & { upload: Body } }
