import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One answer of the server. */
export type Step = {
  status?: number
  type?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** Written one by one, each in a packet of its own. */
  chunks?: readonly (string | Buffer)[]
  /** Before the headers. */
  delayMs?: number
  /** Between chunks; the last one is never followed by an end when `hang` is set. */
  chunkDelayMs?: number
  hang?: boolean
  /** Cuts the connection after what was written. */
  destroy?: boolean
}

export type Seen = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: unknown
}

type Answerer = (seen: Seen, count: number) => Step | undefined

export type FakeModelServer = {
  /** Origin without a path. */
  origin: string
  port: number
  seen: Seen[]
  /** Requests to chat or completion endpoints. */
  asked: () => Seen[]
  /** Replaces how requests are answered; undefined falls back to 404. */
  answerWith: (answerer: Answerer) => void
  close: () => Promise<void>
}

/** A model server whose every answer a test decides. */
export async function startFakeModelServer(
  answerer: Answerer = () => undefined,
  host = '127.0.0.1',
  wantedPort = 0,
): Promise<FakeModelServer> {
  let answer = answerer
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const entry: Seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: parse(Buffer.concat(chunks).toString('utf8')),
      }
      seen.push(entry)
      void play(answer(entry, seen.length) ?? NOT_FOUND, response)
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(wantedPort, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    seen,
    asked: () =>
      seen.filter(({ method, path }) => method === 'POST' && /complet|api\/chat/.test(path)),
    answerWith: (next) => {
      answer = next
    },
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const NOT_FOUND: Step = { status: 404, body: '{"error":"no such path"}' }

async function play(step: Step, response: ServerResponse): Promise<void> {
  if (step.delayMs !== undefined) await pause(step.delayMs)
  response.on('error', () => {})
  response.writeHead(step.status ?? 200, {
    'content-type': step.type ?? 'application/json',
    ...step.headers,
  })
  for (const chunk of step.chunks ?? []) {
    if (response.destroyed) return
    response.write(chunk)
    await pause(step.chunkDelayMs ?? 1)
  }
  if (step.body !== undefined) response.write(step.body)
  if (step.destroy) {
    await pause(5)
    response.destroy()
  } else if (!step.hang) response.end()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A completion in the chat form. */
export function chat(content: string, more: Record<string, unknown> = {}): Step {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
  return { body: JSON.stringify({ choices, ...more }) }
}

/** The same as an event stream. */
export function stream(content: string, more: Record<string, unknown> = {}): Step {
  const events = [
    { choices: [{ index: 0, delta: { content } }], ...more },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...more },
    { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 }, ...more },
  ]
  return {
    type: 'text/event-stream',
    body: `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`,
  }
}

/** Answers like a server with one model: a list, and completions by `complete`. */
export function modelServer(model: string, complete: Answerer): Answerer {
  return (seen, count) => {
    if (seen.method === 'GET' && seen.path.endsWith('/models')) {
      return { body: JSON.stringify({ object: 'list', data: [{ id: model, object: 'model' }] }) }
    }
    if (seen.method === 'POST') return complete(seen, count)
    return undefined
  }
}
