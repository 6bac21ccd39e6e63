import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { Environment } from '../io.ts'
import { call } from './call.ts'
import type { CallOutcome } from './completion.ts'
import type { ModelRequest } from './dialect.ts'
import { type Endpoint, type EndpointWish, isSameModel, resolveEndpoint } from './endpoint.ts'
import { identify, type ModelIdentity } from './identity.ts'
import { createTransport, type Transport } from './transport.ts'

/** A server that was asked who it is, and the way to ask it for completions. */
export type Connection = {
  endpoint: Endpoint
  identity: ModelIdentity
  transport: Transport
  /** The body of a request, for any number of calls. */
  encode(request: Omit<ModelRequest, 'model'>): Buffer
  ask(body: Uint8Array, limits: AskLimits): Promise<CallOutcome>
}

export type AskLimits = { timeLimitMs: number; interrupted: AbortSignal }

export type ConnectOptions = {
  wish: EndpointWish
  env: Environment
  maxConnections: number
  interrupted: AbortSignal
  now: () => number
  tell: (line: string) => void
  /** How long to wait for a server that is loading or busy to say who it is; 0 unless given. */
  patienceMs?: number
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

const LOADING_PAUSE_MS = 1000

/** Finds the server, asks what it runs, and settles the model's name. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const { wish, env, maxConnections, interrupted, now, tell } = options
  const endpoint = resolveEndpoint(wish, env)
  for (const notice of endpoint.notices) tell(notice)
  const transport = createTransport({ env, maxConnections })
  const identity = await identify({ endpoint, transport, interrupted, wait: waiter(options) })
  if (identity.model === '') {
    await transport.close()
    const exit = identity.offered.length === 0 ? EXIT.modelServer : EXIT.usage
    throw new Failure(exit, `which model of ${endpoint.baseUrl}?`, {
      why:
        identity.offered.length === 0
          ? 'the server lists none, or does not answer'
          : `it offers: ${identity.offered.slice(0, 12).join(', ')}`,
      next: 'give --model NAME   (failmap doctor shows servers and their models)',
    })
  }
  const { dialect, baseUrl, secrets } = endpoint
  const headers = { 'content-type': 'application/json', ...endpoint.headers }
  return {
    endpoint,
    identity,
    transport,
    encode: (request) =>
      Buffer.from(JSON.stringify(dialect.body({ model: identity.model, ...request }))),
    ask: (body, limits) =>
      call(body, { transport, dialect, baseUrl, headers, secrets, now, ...limits }),
  }
}

function waiter(options: ConnectOptions): () => Promise<boolean> {
  const { interrupted, now, tell, patienceMs = 0, sleep } = options
  const end = now() + patienceMs
  let isTold = false
  return async () => {
    if (sleep === undefined || interrupted.aborted || now() >= end) return false
    if (!isTold) tell('the server is loading or busy; waiting until it tells what it runs')
    isTold = true
    await sleep(LOADING_PAUSE_MS, interrupted)
    return true
  }
}

/** Throws when the answer came from another model than the one that was asked for. */
export function requireSameModel(
  identity: ModelIdentity,
  served: string | null,
  accepted: string | null,
): void {
  if (served === null || served === identity.model) return
  if (isSameModel(identity.model, served)) return
  if (accepted !== null && isSameModel(accepted, served)) return
  throw new Failure(EXIT.modelServer, 'another model answers than the one asked for', {
    why: `asked for ${identity.model}, the server answered as ${served}`,
    next: `load ${identity.model} in the server, or accept it by name: --accept-model ${served}`,
  })
}
