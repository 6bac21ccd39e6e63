import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { Api } from '../../src/cli/api.ts'
import { createTransport, type Transport } from '../../src/cli/model/transport.ts'
import { upload } from '../../src/cli/submit/upload.ts'
import { cut } from './desk.ts'
import { onEnd } from './run-fixture.ts'

const SUBMISSION = `sub_${'0'.repeat(40)}`
const HEX = '0'.repeat(64)
/** More than the streams between file and connection hold, also compressed. */
const MUCH = randomBytes(2 << 20).toString('latin1')
/** Nothing listens there: the port is reserved (RFC 6335). */
const NOWHERE = 'http://127.0.0.1:1/'

/** Uploads a file to an API that opens every submission and does with the patches what is given. */
async function uploading(takePatches: RequestListener | null, content: string | null) {
  const told: string[] = []
  const server = createServer((request, response) => {
    if (request.method === 'PUT') return takePatches?.(request, response)
    request.resume()
    response
      .writeHead(201, { 'content-type': 'application/json' })
      .end(JSON.stringify({ submission: SUBMISSION, state: 'open' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'failmap-upload-'))
  const file = path.join(folder, 'patches.jsonl')
  if (content !== null) writeFileSync(file, content)
  const real = createTransport({ env: {} })
  onEnd(async () => {
    await real.close()
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const transport: Transport = {
    ...real,
    request: (url, options) =>
      real.request(options.method === 'PUT' && takePatches === null ? NOWHERE : url, options),
  }
  const { port } = server.address() as AddressInfo
  const api = new Api({
    origin: `http://127.0.0.1:${port}`,
    transport,
    signer: null,
    now: Date.now,
    randomBytes: (count) => new Uint8Array(count),
    sleep: async () => {},
    interrupted: new AbortController().signal,
    tell: (line) => told.push(line),
    stallMs: 5000,
  })
  const state = {
    api: api.origin,
    part: 'sealed' as const,
    patches_sha256: HEX,
    manifest: 'a.b.c',
    expires: 0,
    submission: SUBMISSION,
  }
  const digest = { sha256: HEX, bytes: 0, count: 0 }
  return { ended: upload(api, state, { file, digest, answered: 0 }), told, file }
}

/** Open descriptors of this process on a file. */
function openOn(file: string): number {
  return readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === file
    } catch {
      return false
    }
  }).length
}

describe('upload: the file of the patches', () => {
  test.each([
    ['find no connection', null],
    ['are cut in the middle', cut],
  ])('is closed after tries that %s', async (_how, takePatches) => {
    const { ended, told, file } = await uploading(takePatches, MUCH)
    await expect(ended).rejects.toMatchObject({ exit: 4 })
    expect(told).toHaveLength(3)
    await expect.poll(() => openOn(file)).toBe(0)
  })

  test('that cannot be read is told at once, and not as a fault of the network', async () => {
    const { ended, told, file } = await uploading((request) => void request.resume(), null)
    await expect(ended).rejects.toMatchObject({
      exit: 5,
      message: `cannot read or write ${file}`,
      why: expect.stringContaining('ENOENT'),
    })
    expect(told).toEqual([])
  })
})
