import { readJson } from '../../protocol/json.ts'
import { problemSlug } from '../../protocol/problem.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import type { ShardRequest } from '../../protocol/shard.ts'
import { sandboxHealthSchema, tallySchema } from '../../protocol/tally.ts'
import type { FaultKind, Sandbox, SandboxFault } from './sandbox.ts'

/** Sends one request to a sandbox; `shard` names the work so that a transport can spread it. */
export type Transport = (path: string, init: RequestInit, shard: string) => Promise<Response>

/** A tally is below 4 KiB; a sandbox that sends more is not ours. */
const MAX_REPLY_BYTES = 256 * 1024
const HEALTH_MILLISECONDS = 2_000
/** A shard takes seconds; after this the sandbox hangs. Below the 15 minutes of a queue consumer. */
const SHARD_MILLISECONDS = 10 * 60_000

/** A refused connection fails at once; one that lasted this long had a shard on it. */
const IN_HAND_MILLISECONDS = 1_000

/** What a problem document of the sandbox means for the shard. */
const FAULTS: Record<string, FaultKind> = {
  busy: 'busy',
  quarantined: 'controls_failed',
  'protocol-mismatch': 'versions_differ',
  'corpus-mismatch': 'versions_differ',
}

const fault = (kind: FaultKind, why: string): { ok: false; error: SandboxFault } =>
  err({ kind, why })

/** The HTTP interface of the sandbox, whatever carries it. */
export function callSandbox(transport: Transport, token: string, now: () => number): Sandbox {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  const ask = async (
    path: string,
    init: RequestInit,
    shard: string,
    milliseconds: number,
  ): Promise<Result<unknown, SandboxFault>> => {
    const started = now()
    let response: Response
    let text: string | null
    try {
      const signal = AbortSignal.timeout(milliseconds)
      // Never followed: the request holds the root key, which only this address may see.
      response = await transport(path, { ...init, headers, signal, redirect: 'manual' }, shard)
      text = await readCapped(response)
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') {
        return fault('sandbox_failed', 'timeout')
      }
      // Both "nothing listens" and "died with the shard in hand" come as a lost connection. Only the
      // second takes time, and only that one may be the shard's doing and has to be counted.
      const inHand = now() - started > IN_HAND_MILLISECONDS
      return fault(inHand ? 'sandbox_failed' : 'away', inHand ? 'died' : 'unreachable')
    }
    if (text === null) return fault('controls_failed', 'reply-too-large')
    const body = readJson(text)
    if (response.status === 200) return ok(body.ok ? body.value : null)
    return refused(response.status, body.ok ? body.value : null)
  }

  return {
    async health() {
      const reply = await ask('/health', { method: 'GET' }, 'health', HEALTH_MILLISECONDS)
      if (!reply.ok) return reply
      const health = sandboxHealthSchema.safeParse(reply.value)
      return health.success ? ok(health.data) : fault('sandbox_failed', 'health-invalid')
    },
    async judge(request: ShardRequest) {
      const init = { method: 'POST', body: JSON.stringify(request) }
      const shard = `${request.submission}/${request.category}`
      const reply = await ask('/shards', init, shard, SHARD_MILLISECONDS)
      if (!reply.ok) return reply
      const tally = tallySchema.safeParse(reply.value)
      return tally.success ? ok(tally.data) : fault('controls_failed', 'tally-shape')
    },
  }
}

function refused(status: number, body: unknown): { ok: false; error: SandboxFault } {
  const type =
    typeof body === 'object' && body !== null && 'type' in body && typeof body.type === 'string'
      ? body.type
      : ''
  const slug = problemSlug({ type })
  if (slug !== undefined) return fault(FAULTS[slug] ?? 'sandbox_failed', slug)
  // Not a problem document: the platform answered in place of a sandbox that is not there yet.
  const absent = status === 429 || status === 503
  return fault(absent ? 'away' : 'sandbox_failed', `status-${status}`)
}

/** The text of a reply, or null when it is longer than any reply of a sandbox. */
async function readCapped(response: Response): Promise<string | null> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.byteLength
    if (bytes > MAX_REPLY_BYTES) {
      await reader.cancel()
      return null
    }
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}
