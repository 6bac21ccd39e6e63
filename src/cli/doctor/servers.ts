import type { Context } from '../context.ts'
import { type EndpointWish, resolveEndpoint, SERVERS, type ServerKind } from '../model/endpoint.ts'
import { identify, type ModelIdentity } from '../model/identity.ts'
import { createTransport } from '../model/transport.ts'
import { bad, type Finding, good } from './finding.ts'

const KINDS: readonly ServerKind[] = ['ollama', 'vllm', 'llama-cpp', 'lm-studio', 'sglang']

export type FoundServer = { kind: ServerKind; baseUrl: string; identity: ModelIdentity }

/** Asks the usual ports, and what the environment names, for the models they offer. */
export async function findServers(context: Context): Promise<FoundServer[]> {
  const { config, io } = context
  const wishes: EndpointWish[] = KINDS.map((kind) => ({ model: `${kind}/` }))
  if (SERVERS.openai.urlNames.some((name) => config.env[name] !== undefined)) {
    wishes.push({ model: '' })
  }
  const transport = createTransport({ env: config.env })
  try {
    const found = await Promise.all(
      wishes.map(async (wish) => {
        const endpoint = resolveEndpoint(wish, config.env)
        const identity = await identify({ endpoint, transport, interrupted: io.interrupted })
        return { kind: endpoint.kind, baseUrl: endpoint.baseUrl, identity }
      }),
    )
    const seen = new Set<string>()
    return found.filter(({ baseUrl, identity }) => {
      const isNew = identity.offered.length > 0 && !seen.has(baseUrl)
      seen.add(baseUrl)
      return isNew
    })
  } finally {
    await transport.close()
  }
}

export function serverFindings(servers: readonly FoundServer[]): Finding[] {
  if (servers.length === 0) {
    return [
      bad(
        'server',
        'no model server answers on ports 11434, 8000, 8080, 1234, 30000',
        'start one (ollama serve, llama-server -m FILE, vllm serve MODEL, LM Studio), or give --base-url',
      ),
    ]
  }
  return servers.map(({ kind, baseUrl, identity }) => {
    const names = identity.offered.slice(0, 6).join(', ')
    const more = identity.offered.length > 6 ? `, and ${identity.offered.length - 6} more` : ''
    return good('server', `${kind} at ${baseUrl}: ${names}${more}`)
  })
}
