import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { StallLimitReached } from '../../src/cli/model/stall-watch.ts'
import { createTransport } from '../../src/cli/model/transport.ts'
import { desk } from './desk.ts'
import { onEnd } from './run-fixture.ts'

const LIMIT_MS = 400
const STEP_MS = 50
/** Steps that together take far longer than one stretch without a byte may. */
const STEPS = 30
/** Bytes per second of a line that would have carried all the bytes of a test at once. */
const FAST = 1e9

/** Sends to a server by one that lets it stand still for 400 ms. */
async function openLine(answer: RequestListener) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = createTransport({ env: {} })
  onEnd(async () => {
    await transport.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return (body?: AsyncIterable<Uint8Array>, slowestLine?: number) =>
    transport.request(`http://127.0.0.1:${port}/`, {
      method: body === undefined ? 'GET' : 'PUT',
      ...(body === undefined ? {} : { body }),
      stallLimitMs: LIMIT_MS,
      ...(slowestLine === undefined ? {} : { slowestLine }),
    })
}

/** As much as the buffers of a connection on this machine take at once, long before anybody reads. */
async function* atOnce(bytes = 1 << 20): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < bytes; sent += 16 * 1024) yield new Uint8Array(16 * 1024)
}

/** Takes an upload in pieces with pauses in which the sender sees nothing move, then answers. */
async function takeSlowly(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const chunk of request.iterator()) {
    if (chunk.length > 0) await sleep(2 * STEP_MS)
  }
  response.end()
}

async function* slowly(bytes: number, steps = STEPS): AsyncGenerator<Uint8Array> {
  for (let step = 0; step < steps; step += 1) {
    await sleep(STEP_MS)
    yield new Uint8Array(bytes)
  }
}

async function sizeOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const chunk of body) size += chunk.length
  return size
}

describe('a transfer with a limit on standing still', () => {
  test('a download that is only slow comes whole', async () => {
    const send = await openLine(async (_request, response) => {
      for await (const chunk of slowly(10)) response.write(chunk)
      response.end()
    })
    expect(await sizeOf((await send()).body)).toBe(10 * STEPS)
  })

  test('a download that stands still in its middle ends', async () => {
    const send = await openLine((_request, response) => void response.write('abc'))
    const response = await send()
    await expect(sizeOf(response.body)).rejects.toBeInstanceOf(StallLimitReached)
  })

  test('an upload that is only slow arrives whole', async () => {
    let size = 0
    const send = await openLine(async (request, response) => {
      size = await sizeOf(request)
      response.end()
    })
    expect((await send(slowly(10))).status).toBe(200)
    expect(size).toBe(10 * STEPS)
  })

  test('an upload that nobody takes ends, and so does its source', async () => {
    let isOver = false
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield new Uint8Array(1 << 20)
      } finally {
        isOver = true
      }
    }
    const send = await openLine((request) => void request.pause())
    await expect(send(endless(), FAST)).rejects.toBeInstanceOf(StallLimitReached)
    await expect.poll(() => isOver).toBe(true)
  })

  test('an upload without an answer ends', async () => {
    const send = await openLine((request) => void request.resume())
    await expect(send(slowly(10, 2))).rejects.toBeInstanceOf(StallLimitReached)
  })

  test('an upload that lies in buffers has the time that a slow line needs for it', async () => {
    const send = await openLine(takeSlowly)
    expect((await send(atOnce())).status).toBe(200)
  })

  test('an upload that lies in buffers ends when no slow line needs so long', async () => {
    const send = await openLine((request) => void request.pause())
    await expect(send(atOnce(), FAST)).rejects.toBeInstanceOf(StallLimitReached)
  })

  test('an upload whose file takes long to read goes on', async () => {
    async function* hanging(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10)
      await sleep(3 * LIMIT_MS)
      yield new Uint8Array(10)
    }
    let size = 0
    const send = await openLine(async (request, response) => {
      size = await sizeOf(request)
      response.end()
    })
    expect((await send(hanging(), FAST)).status).toBe(200)
    expect(size).toBe(20)
  })

  test('a download that its reader leaves lying comes whole', async () => {
    const pieces = 300
    const send = await openLine(async (_request, response) => {
      for (let piece = 0; piece < pieces; piece += 1) {
        if (!response.write(new Uint8Array(20_000))) await once(response, 'drain')
      }
      response.end()
    })
    let size = 0
    for await (const chunk of (await send()).body) {
      if (size === 0) await sleep(3 * LIMIT_MS)
      size += chunk.length
    }
    expect(size).toBe(pieces * 20_000)
  })

  test('a download that stands still after its reader came back ends', async () => {
    const send = await openLine((_request, response) => {
      response.write(new Uint8Array(6_000_000))
    })
    const read = async () => {
      let size = 0
      for await (const chunk of (await send()).body) {
        if (size === 0) await sleep(3 * LIMIT_MS)
        size += chunk.length
      }
    }
    await expect(read()).rejects.toBeInstanceOf(StallLimitReached)
  })
})

const STALL = { FAILMAP_STALL_SECONDS: '0.3' }
const ADVICE = 'FAILMAP_STALL_SECONDS'

describe('failmap against an API that stands still', () => {
  test('pull tries again and brings the prompts whole', async () => {
    const { terminal, api } = await desk({ hasRun: false })
    Object.assign(terminal.env, STALL)
    let stalls = 2
    api.faults.before = (request, response) => {
      if (!request.url?.endsWith('/prompts') || stalls === 0) return false
      stalls -= 1
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"instance')
      return true
    }
    const ending = await terminal.type('pull')
    expect(ending.err).toContain('the download of the prompts came to a standstill; trying again')
    expect(ending).toMatchObject({ exit: 0 })
  })

  test('pull gives up in words that say what to do', async () => {
    const { terminal, api } = await desk({ hasRun: false })
    Object.assign(terminal.env, STALL)
    let tries = 0
    api.faults.before = (request, response) => {
      if (!request.url?.endsWith('/prompts')) return false
      tries += 1
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"instance')
      return true
    }
    const ending = await terminal.type('pull')
    expect(ending.exit).toBe(4)
    expect(tries).toBe(4)
    expect(ending.err).toContain('no byte moved for 0.3 s')
    expect(ending.err).toContain(ADVICE)
  })

  test('submit sends the same patches again, and repeating it later goes on', async () => {
    const { terminal, api } = await desk()
    Object.assign(terminal.env, STALL)
    api.faults.before = (request) => request.method === 'PUT'
    const stalled = await terminal.type('submit')
    expect(stalled.exit).toBe(4)
    expect(stalled.err).toContain('the upload of the patches came to a standstill')
    expect(stalled.err).toContain(ADVICE)
    delete api.faults.before
    const again = await terminal.type('submit')
    expect(again.err).toContain('going on with it')
    expect(again.exit).toBe(0)
    expect(api.uploads).toBe(1)
  })

  test.each(['0', '-5', 'soon'])('a limit of %s is refused', async (seconds) => {
    const { terminal } = await desk({ hasRun: false })
    Object.assign(terminal.env, { FAILMAP_STALL_SECONDS: seconds })
    expect(await terminal.type('pull')).toMatchObject({ exit: 2 })
  })
})
