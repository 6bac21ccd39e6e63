// A model server in a process of its own: answers every completion after 5 ms, as an event stream.
// `@@` in the reply is the number of the answer, so that no two replies are the same text.
// `/stats/N` tells, as soon as N answers are given, how many there were and from when to when.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const DELAY_MS = 5
const [, , reply = ''] = process.argv

let first = 0
let last = 0
let count = 0
let asked: { count: number; tell: () => void } | null = null

const stream = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
  { choices: [{ index: 0, delta: { content: reply } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 900, completion_tokens: 400 } },
]
const body =
  `${stream.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`.split(
    '@@',
  )

const server = createServer((request, response) => {
  request.resume()
  if (request.url?.startsWith('/stats/')) {
    const tell = () => {
      response.end(JSON.stringify({ count, ms: last - first }))
      first = 0
      count = 0
      asked = null
    }
    asked = { count: Number(request.url.slice('/stats/'.length)), tell }
    if (count >= asked.count) tell()
    return
  }
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json')
    response.end('{"data":[{"id":"coder-7b"}]}')
    return
  }
  request.on('end', () => {
    if (first === 0) first = performance.now()
    setTimeout(() => {
      response.setHeader('content-type', 'text/event-stream')
      response.end(body.join(String(count)))
      last = performance.now()
      count += 1
      if (asked !== null && count >= asked.count) asked.tell()
    }, DELAY_MS)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${port}\n`)
})
