import { Container, getContainer } from '@cloudflare/containers'
import type { Env } from '../env.ts'
import { callSandbox, type Transport } from './call.ts'
import type { Sandbox } from './sandbox.ts'

const PORT = 8788

/** As many as `max_instances` of wrangler.toml. */
const INSTANCES = 10

/** One sandbox in a container of its own: no internet, and gone some minutes after its last shard. */
export class SandboxContainer extends Container<Env> {
  override defaultPort = PORT
  override sleepAfter = '5m'
  override enableInternet = false
  override envVars = { SANDBOX_TOKEN: this.env.SANDBOX_TOKEN }
}

/** A container by shard: one shard always goes to the same box, so that load spreads without a list. */
function boxOf(name: string): string {
  let sum = 0
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return `box-${sum % INSTANCES}`
}

/** The sandbox in production: Cloudflare Containers. */
export function containerSandbox(
  namespace: DurableObjectNamespace<SandboxContainer>,
  token: string,
  now: () => number,
): Sandbox {
  const transport: Transport = async (path, init, shard) => {
    const request = new Request(`http://sandbox${path}`, init)
    const response = await getContainer(namespace, boxOf(shard)).fetch(request)
    if (response.status !== 500 || response.headers.get('content-type')?.includes('json')) {
      return response
    }
    // The container class answers 500 with its own words: a box that died in work, or none to be had.
    const died = (await response.text()).includes('disconnected')
    return new Response(null, { status: died ? 502 : 503 })
  }
  return {
    ...callSandbox(transport, token, now),
    async health() {
      // Asking a sleeping box would start it: strangers reading /health must not cost container time.
      const { status } = await getContainer(namespace, boxOf('health')).getState()
      if (status !== 'healthy') return { ok: true, value: null }
      return callSandbox(transport, token, now).health()
    },
  }
}
