import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { Environment } from '../io.ts'
import { normaliseBaseUrl } from './base-url.ts'
import type { Dialect } from './dialect.ts'
import { ollamaDialect } from './ollama-dialect.ts'
import { chatDialect, completionDialect } from './openai-dialect.ts'

export type ServerKind = 'ollama' | 'vllm' | 'llama-cpp' | 'lm-studio' | 'sglang' | 'openai'

/** Where and how to ask, before anything was asked. */
export type Endpoint = {
  kind: ServerKind
  /** The name to send; null = whatever the server lists, if that is one. */
  model: string | null
  dialect: Dialect
  baseUrl: string
  headers: Record<string, string>
  /** What must not appear in any message. */
  secrets: string[]
  notices: string[]
}

export type EndpointWish = {
  model?: string | undefined
  baseUrl?: string | undefined
  endpoint?: 'chat' | 'completion' | undefined
}

type Server = { defaultUrl: string | null; urlNames: string[]; keyNames: string[] }

/** Names of variables as each server's own users and other clients know them. */
export const SERVERS: Record<ServerKind, Server> = {
  ollama: {
    defaultUrl: 'http://127.0.0.1:11434',
    urlNames: ['OLLAMA_BASE_URL', 'OLLAMA_API_BASE', 'OLLAMA_HOST'],
    keyNames: ['OLLAMA_API_KEY'],
  },
  vllm: {
    defaultUrl: 'http://127.0.0.1:8000/v1',
    urlNames: ['VLLM_BASE_URL', 'OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    keyNames: ['VLLM_API_KEY', 'OPENAI_API_KEY'],
  },
  'llama-cpp': {
    defaultUrl: 'http://127.0.0.1:8080/v1',
    urlNames: [
      'LLAMA_CPP_BASE_URL',
      'LLAMA_CPP_PYTHON_BASE_URL',
      'OPENAI_BASE_URL',
      'OPENAI_API_BASE',
    ],
    keyNames: ['LLAMA_API_KEY', 'OPENAI_API_KEY'],
  },
  'lm-studio': {
    defaultUrl: 'http://127.0.0.1:1234/v1',
    urlNames: ['LM_STUDIO_API_BASE', 'OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    keyNames: ['LM_STUDIO_API_KEY', 'OPENAI_API_KEY'],
  },
  sglang: {
    defaultUrl: 'http://127.0.0.1:30000/v1',
    urlNames: ['SGLANG_BASE_URL', 'OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    keyNames: ['SGLANG_API_KEY', 'OPENAI_API_KEY'],
  },
  openai: {
    defaultUrl: null,
    urlNames: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'],
    keyNames: ['OPENAI_API_KEY'],
  },
}

const SPELLINGS: Record<string, ServerKind> = {
  ollama: 'ollama',
  vllm: 'vllm',
  'llama-cpp': 'llama-cpp',
  'llama-cpp-python': 'llama-cpp',
  llamacpp: 'llama-cpp',
  'lm-studio': 'lm-studio',
  lmstudio: 'lm-studio',
  sglang: 'sglang',
  openai: 'openai',
}

const OLLAMA_PORT = 11434

/** Reads `--model` and `--base-url` together with the environment. Throws a usage failure. */
export function resolveEndpoint(wish: EndpointWish, env: Environment): Endpoint {
  const { kind, model, server } = readModelName(wish.model)
  const text = wish.baseUrl ?? firstSet(server.urlNames, env) ?? server.defaultUrl
  if (text === null) {
    throw new Failure(EXIT.usage, 'no address of a model server is known', {
      why: `"${wish.model ?? ''}" names no server, and neither --base-url nor ${server.urlNames[0]} is set`,
      next: 'failmap doctor   (finds running servers), or give --base-url http://127.0.0.1:8000/v1',
    })
  }
  const isNative = kind === 'ollama' && wish.endpoint === undefined
  const base = normaliseBaseUrl(
    text,
    isNative ? 'ollama' : 'openai',
    kind === 'ollama' ? OLLAMA_PORT : undefined,
  )
  if (base === null) {
    throw new Failure(EXIT.usage, `"${text}" is not an address of a model server`, {
      next: 'give --base-url http://HOST:PORT/v1',
    })
  }
  const key = firstSet(server.keyNames, env)
  const authorization = key === undefined ? base.authorization : `Bearer ${key}`
  return {
    kind,
    model,
    dialect: dialectOf(isNative, wish.endpoint),
    baseUrl: base.url,
    headers: authorization === undefined ? {} : { authorization },
    secrets: [key, base.authorization].filter((secret) => secret !== undefined),
    notices: base.notices,
  }
}

function dialectOf(isNative: boolean, endpoint: 'chat' | 'completion' | undefined): Dialect {
  if (isNative) return ollamaDialect
  return endpoint === 'completion' ? completionDialect : chatDialect
}

/** `ollama/<tag>`, `vllm/<id>`, `llama-cpp/<file>`, `openai-api/<provider>/<model>`, or a bare id. */
function readModelName(name: string | undefined): {
  kind: ServerKind
  model: string | null
  server: Server
} {
  const [prefix = '', ...rest] = (name ?? '').split('/')
  const kind = rest.length > 0 ? SPELLINGS[prefix.toLowerCase()] : undefined
  if (kind !== undefined && kind !== 'openai') {
    return { kind, model: orNull(rest.join('/')), server: SERVERS[kind] }
  }
  if (kind === 'openai') {
    const server = { ...SERVERS.openai, defaultUrl: 'https://api.openai.com/v1' }
    return { kind, model: orNull(rest.join('/')), server }
  }
  if (prefix.toLowerCase() === 'openai-api') {
    const [provider = '', ...model] = rest
    const stem = provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
    return {
      kind: 'openai',
      model: orNull(model.join('/')),
      server: {
        defaultUrl: null,
        urlNames: [`${stem}_BASE_URL`, `${stem}_API_BASE`, ...SERVERS.openai.urlNames],
        keyNames: [`${stem}_API_KEY`, ...SERVERS.openai.keyNames],
      },
    }
  }
  return { kind: 'openai', model: orNull(name ?? ''), server: SERVERS.openai }
}

function orNull(text: string): string | null {
  return text === '' ? null : text
}

function firstSet(names: readonly string[], env: Environment): string | undefined {
  for (const name of names) {
    const value = env[name]?.trim()
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** Whether two names mean the same model once spelling, tag, path and date suffix are set aside. */
export function isSameModel(asked: string, served: string): boolean {
  const [a, b] = [plainName(asked), plainName(served)]
  return a === b || isDated(a, b) || isDated(b, a)
}

function plainName(name: string): string {
  const last = name.toLowerCase().replace(/\\/g, '/').split('/').pop() ?? ''
  return last.replace(/:latest$/, '').replace(/(-\d{5}-of-\d{5})?\.gguf$/, '')
}

/** Hosted models answer to `name` with the name of a dated snapshot. */
function isDated(short: string, long: string): boolean {
  return long.startsWith(`${short}-`) && /^-\d{4}-?\d{2}-?\d{2}$/.test(long.slice(short.length))
}
