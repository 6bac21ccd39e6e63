// A loop over a model server: 32 slots, a request body made for each prompt, every byte of the answer
// read into one text. It neither looks into the answers nor keeps them. Two ways to ask:
// - `dispatch`: the HTTP library as near to the wire as it allows, so what the server can give at most
// - `request`: the call of the same library that people write
import { readFileSync } from 'node:fs'
import { Pool, request } from 'undici'
import { z } from 'zod'

const CONNECTIONS = 32
const HEADERS = ['content-type', 'application/json']
const [, , origin = '', file = '', way = ''] = process.argv
const path = '/v1/chat/completions'

const promptSchema = z.object({ prompt: z.string() })
const prompts = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => promptSchema.parse(JSON.parse(line)).prompt)
const pool = new Pool(origin, { connections: CONNECTIONS })

/** The same fields that the client sends. */
const toBody = (content: string) =>
  JSON.stringify({
    model: 'coder-7b',
    max_tokens: 8192,
    temperature: 0,
    seed: 0,
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: 'user', content }],
  })

function dispatch(prompt: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    pool.dispatch(
      { method: 'POST', path, headers: HEADERS, body: toBody(prompt) },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_controller, chunk) => void chunks.push(chunk),
        onResponseEnd: () => resolve(Buffer.concat(chunks).toString('utf8')),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })
}

async function plainly(prompt: string): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = toBody(prompt)
  const answer = await request(origin + path, { method: 'POST', headers, body, dispatcher: pool })
  return answer.body.text()
}

const ask = way === 'request' ? plainly : dispatch
const open = prompts[Symbol.iterator]()
await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    for (const prompt of open) await ask(prompt)
  }),
)
