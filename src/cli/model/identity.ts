import { z } from 'zod'
import { readText } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import type { Transport } from './transport.ts'

/** What the server's own endpoints say about the model. Null = not told. */
export type ModelIdentity = {
  model: string
  /** Server software with its version, e.g. `ollama 0.9.1`. */
  server: string | null
  /** Names everything that the server serves under this name; changes when the model does. */
  digest: string | null
  /** SHA-256 of the weights file. */
  weights: string | null
  parameters: string | null
  quantisation: string | null
  /** Tokens that one request can hold as the server runs now. */
  contextLength: number | null
  /** Names the server offers; empty when it does not list them. */
  offered: string[]
}

const PATIENCE_MS = 5000

export type Inquiry = {
  endpoint: Endpoint
  transport: Transport
  interrupted: AbortSignal
  /** Waits a moment for a server that is loading or busy; false when that has gone on for too long. */
  wait?: () => Promise<boolean>
}

/** An inquiry under way. A server that said anything is not busy: what it then leaves open, it hides. */
type Talk = Inquiry & { heard: { any: boolean } }

const text = z.string().nullish().catch(null)
const count = z.number().nullish().catch(null)

/** Asks everything that this kind of server can answer; silence is not an error here. */
export async function identify(asked: Inquiry): Promise<ModelIdentity> {
  const inquiry = { ...asked, heard: { any: false } }
  const { endpoint } = inquiry
  const identity: ModelIdentity = {
    model: endpoint.model ?? '',
    server: endpoint.kind === 'openai' ? null : endpoint.kind,
    digest: null,
    weights: null,
    parameters: null,
    quantisation: null,
    contextLength: null,
    offered: [],
  }
  if (endpoint.dialect.name === 'ollama') await readOllama(inquiry, identity)
  else {
    await readModelList(inquiry, identity)
    if (endpoint.kind === 'llama-cpp' || endpoint.kind === 'openai') {
      await readLlamaCpp(inquiry, identity)
    }
    if (endpoint.kind === 'lm-studio') await readLmStudio(inquiry, identity)
    if (endpoint.kind === 'vllm') await readVersion(inquiry, identity)
    if (endpoint.kind === 'sglang') await readSglang(inquiry, identity)
  }
  return identity
}

const listSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: count,
      owned_by: text,
      meta: z.object({ n_params: count, n_ctx_train: count, size: count }).nullish().catch(null),
    }),
  ),
})

async function readModelList(inquiry: Talk, identity: ModelIdentity): Promise<void> {
  const list = listSchema.safeParse(await ask(inquiry, 'GET', `${inquiry.endpoint.baseUrl}/models`))
  if (!list.success) return
  identity.offered = list.data.data.map((model) => model.id)
  const only = identity.offered.length === 1 ? identity.offered[0] : undefined
  if (identity.model === '' && only !== undefined) identity.model = only
  const own = list.data.data.find(({ id }) => id === identity.model || id === only)
  identity.contextLength ??= own?.max_model_len ?? null
  const parameters = own?.meta?.n_params
  if (parameters) identity.parameters = `${(parameters / 1e9).toPrecision(3)}B`
}

const tagsSchema = z.object({
  models: z.array(z.object({ name: z.string(), model: text, digest: text })),
})
const showSchema = z.object({
  modelfile: text,
  details: z.object({ parameter_size: text, quantization_level: text }).nullish().catch(null),
  model_info: z.record(z.string(), z.unknown()).nullish().catch(null),
})

async function readOllama(inquiry: Talk, identity: ModelIdentity): Promise<void> {
  const { baseUrl } = inquiry.endpoint
  await readVersion(inquiry, identity, '/api/version', 'ollama')
  const tags = tagsSchema.safeParse(await ask(inquiry, 'GET', `${baseUrl}/api/tags`))
  if (tags.success) {
    const { models } = tags.data
    identity.offered = models.map((model) => model.name)
    if (identity.model === '' && models.length === 1) identity.model = models[0]?.name ?? ''
    const wanted = identity.model.includes(':') ? identity.model : `${identity.model}:latest`
    const digest = models.find(({ name }) => name === wanted)?.digest
    if (digest) identity.digest = digest.startsWith('sha256:') ? digest : `sha256:${digest}`
  }
  if (identity.model === '') return
  const body = { model: identity.model }
  const show = showSchema.safeParse(await ask(inquiry, 'POST', `${baseUrl}/api/show`, body))
  if (!show.success) return
  // The FROM line of the model file names the blob that holds the weights.
  identity.weights = /^FROM .*sha256-([0-9a-f]{64})/m.exec(show.data.modelfile ?? '')?.[1] ?? null
  identity.parameters = show.data.details?.parameter_size ?? null
  identity.quantisation = show.data.details?.quantization_level ?? null
  for (const [name, value] of Object.entries(show.data.model_info ?? {})) {
    if (name.endsWith('.context_length') && typeof value === 'number') {
      identity.contextLength = value
    }
  }
}

const propsSchema = z.object({
  model_path: text,
  build_info: text,
  default_generation_settings: z.object({ n_ctx: count }).nullish().catch(null),
})

/** llama.cpp's `/props`; `n_ctx` there is what one slot can hold. */
async function readLlamaCpp(inquiry: Talk, identity: ModelIdentity): Promise<void> {
  const props = propsSchema.safeParse(await ask(inquiry, 'GET', `${origin(inquiry)}/props`))
  if (!props.success) return
  const { model_path, build_info, default_generation_settings } = props.data
  if (build_info) identity.server = `llama.cpp ${build_info}`
  identity.contextLength ??= default_generation_settings?.n_ctx ?? null
  identity.quantisation ??= quantisationInName(model_path ?? identity.model)
}

const studioSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      quantization: text,
      loaded_context_length: count,
      max_context_length: count,
    }),
  ),
})

async function readLmStudio(inquiry: Talk, identity: ModelIdentity): Promise<void> {
  const list = studioSchema.safeParse(await ask(inquiry, 'GET', `${origin(inquiry)}/api/v0/models`))
  const own = list.data?.data.find(({ id }) => id === identity.model)
  if (own === undefined) return
  identity.quantisation = own.quantization ?? null
  identity.contextLength ??= own.loaded_context_length ?? own.max_context_length ?? null
}

const sglangSchema = z.object({ context_length: count, version: text, quantization: text })

async function readSglang(inquiry: Talk, identity: ModelIdentity): Promise<void> {
  const url = `${origin(inquiry)}/get_server_info`
  const info = sglangSchema.safeParse(await ask(inquiry, 'GET', url))
  if (!info.success) return
  if (info.data.version) identity.server = `sglang ${info.data.version}`
  identity.quantisation = info.data.quantization ?? null
  identity.contextLength ??= info.data.context_length ?? null
}

async function readVersion(
  inquiry: Talk,
  identity: ModelIdentity,
  path = '/version',
  name = 'vllm',
): Promise<void> {
  const answer = z
    .object({ version: z.string() })
    .safeParse(await ask(inquiry, 'GET', `${origin(inquiry)}${path}`))
  if (answer.success) identity.server = `${name} ${answer.data.version}`
}

/** The quantisation that file names of GGUF models carry, e.g. `Q4_K_M`. */
export function quantisationInName(name: string): string | null {
  return /(?:^|[-._])((?:I?Q\d(?:_[A-Z0-9]+)*)|BF16|F16|F32)(?=[-._]|$)/i.exec(name)?.[1] ?? null
}

function origin({ endpoint }: Talk): string {
  return endpoint.baseUrl.replace(/\/v\d[^/]*$/, '')
}

/** What a loading or busy server does not tell would be other settings, and so another run. */
async function ask(
  inquiry: Talk,
  method: 'GET' | 'POST',
  url: string,
  body?: object,
): Promise<unknown> {
  for (;;) {
    const answer = await askOnce(inquiry, method, url, body)
    if (answer !== BUSY) return answer
    if (inquiry.wait === undefined || !(await inquiry.wait())) return undefined
  }
}

const BUSY = Symbol('the server cannot tell yet')

async function askOnce(
  { endpoint, transport, interrupted, heard }: Talk,
  method: 'GET' | 'POST',
  url: string,
  body?: object,
): Promise<unknown> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS)
  const giveUp = () => stop.abort()
  interrupted.addEventListener('abort', giveUp, { once: true })
  try {
    const response = await transport.request(url, {
      method,
      headers: { 'content-type': 'application/json', ...endpoint.headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: stop.signal,
    })
    const answer = await readText(response.body)
    if (response.status === 503) return BUSY
    heard.any = true
    return response.status === 200 ? JSON.parse(answer) : undefined
  } catch {
    // A server with one thread answers nothing while it writes a reply that nobody waits for any more.
    return stop.signal.aborted && !interrupted.aborted && !heard.any ? BUSY : undefined
  } finally {
    clearTimeout(timer)
    interrupted.removeEventListener('abort', giveUp)
  }
}
