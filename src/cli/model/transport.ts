import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { Environment } from '../io.ts'
import type { Chunks } from './chunks.ts'
import { exchange, type Target } from './exchange.ts'

export type TransportRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Uint8Array | AsyncIterable<Uint8Array>
  signal?: AbortSignal
  /** For the whole exchange, from the question to the last byte; ends it as `TimeLimitReached`. */
  timeLimitMs?: number
  /** For a stretch without a byte in either direction; ends it as `StallLimitReached`. */
  stallLimitMs?: number
  /** Bytes per second that may be expected of what was handed over, for `stallLimitMs`; 8000 unless given. */
  slowestLine?: number
}

export type TransportResponse = {
  status: number
  header(name: string): string | undefined
  body: Chunks
  /** Reads and forgets the rest, so that the connection can be used again. */
  discard(): Promise<void>
}

/** HTTP as the client uses it: the only limits on time are those of the caller. */
export type Transport = {
  request(url: string, options: TransportRequest): Promise<TransportResponse>
  /** `direct`, or the proxy that requests to this address go through. */
  route(url: string): string
  close(): Promise<void>
}

/**
 * Limits of the HTTP library, all off: a slow model may think for an hour before its first byte,
 * and the library's default of 300 s would undercut any limit the user sets.
 */
export const AGENT_LIMITS = { headersTimeout: 0, bodyTimeout: 0 } as const
const CONNECT = { timeout: 10_000, autoSelectFamily: true }

type TransportOptions = {
  env: Environment
  /** Most connections to one host. */
  maxConnections?: number
  /** How names become addresses; the system's way unless given. */
  lookup?: LookupFunction
}

/** Opens connection pools, one for direct routes and one for each proxy. */
export function createTransport({ env, maxConnections, lookup }: TransportOptions): Transport {
  const limits = maxConnections === undefined ? {} : { connections: maxConnections }
  const connect = lookup === undefined ? CONNECT : { ...CONNECT, lookup }
  const direct = new Agent({ ...AGENT_LIMITS, ...limits, connect })
  const proxies = new Map<string, Dispatcher>()

  const dispatcherFor = (url: URL): Dispatcher => {
    const proxy = proxyFor(url, env)
    if (proxy === null) return direct
    const known = proxies.get(proxy)
    if (known !== undefined) return known
    const made = new ProxyAgent({ uri: proxy, ...AGENT_LIMITS, ...limits })
    proxies.set(proxy, made)
    return made
  }
  // A run asks one address thousands of times.
  let last: { text: string; target: Target } | null = null
  const targetOf = (text: string): Target => {
    if (last?.text !== text) {
      const url = new URL(text)
      const { origin, pathname, search } = url
      last = { text, target: { dispatcher: dispatcherFor(url), origin, path: pathname + search } }
    }
    return last.target
  }

  return {
    request: (text, options) => exchange(targetOf(text), options),
    route: (url) => proxyFor(new URL(url), env) ?? 'direct',
    async close() {
      await Promise.all([direct, ...proxies.values()].map((one) => one.destroy()))
    },
  }
}

/**
 * The proxy for an address, or null for a direct connection.
 *
 * Loopback and private hosts never go through a proxy: a prompt meant for the machine under the
 * desk must not leave for a company gateway.
 */
export function proxyFor(url: URL, env: Environment): string | null {
  if (isPrivateHost(url.hostname)) return null
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const proxy = env[name] ?? env[name.toUpperCase()] ?? env.all_proxy ?? env.ALL_PROXY ?? ''
  if (!/^https?:\/\//i.test(proxy)) return null
  const exceptions = (env.no_proxy ?? env.NO_PROXY ?? '').split(/[\s,]+/).filter(Boolean)
  return exceptions.some((exception) => covers(exception, url)) ? null : proxy
}

function covers(exception: string, url: URL): boolean {
  if (exception === '*') return true
  const [host = '', port] = exception.toLowerCase().split(':')
  if (port !== undefined && port !== url.port) return false
  const bare = host.replace(/^\*?\./, '')
  return url.hostname === bare || url.hostname.endsWith(`.${bare}`)
}

/** Loopback, link-local, RFC 1918 and unique local addresses, and names without a dot. */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '')
  if (host.includes(':')) return host === '::1' || /^f[cd]|^fe[89ab]/.test(host)
  const octets = host.split('.').map(Number)
  const [first = -1, second = -1] = octets
  if (octets.length === 4 && octets.every((octet) => octet >= 0 && octet <= 255)) {
    return (
      first === 127 ||
      first === 10 ||
      (first === 172 && second >= 16 && second <= 31) ||
      (first === 192 && second === 168) ||
      (first === 169 && second === 254)
    )
  }
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(host)
}
