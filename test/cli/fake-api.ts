import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGunzip } from 'node:zlib'
import { readKeyId } from '../../src/protocol/compact.ts'
import { toReportId, toSubmissionId } from '../../src/protocol/ids.ts'
import {
  checkBody,
  openManifest,
  openProof,
  openRequest,
  type Signer,
  signReport,
  toSigner,
} from '../../src/protocol/jws.ts'
import { type PublicJwk, readPrivateJwk, readPublicJwk, toKeyId } from '../../src/protocol/keys.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import { type Refusal, toProblem } from '../../src/protocol/problem.ts'
import {
  openSubmissionSchema,
  registerKeySchema,
  type SubmissionView,
} from '../../src/protocol/submission.ts'
import { scored } from './fake-report.ts'
import type { SampleEpoch } from './sample-epoch.ts'

const ORGANISATION = 'org_0123456789abcdef'

type Submission = {
  manifest: Manifest
  sha256: string
  state: SubmissionView['state']
  lines: string[]
}

/** What a test can make the API do wrong. */
export type Faults = {
  /** Answers in place of the API; return true when it did. */
  before?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Stores the patches, then cuts the connection. */
  loseUploadAnswer?: boolean
  clockErrorMs?: number
  /** Ends as `incomplete`. */
  incomplete?: boolean
}

export type FakeApi = {
  origin: string
  faults: Faults
  submissions: Map<string, Submission>
  uploads: number
  reportSigner: Signer
  close: () => Promise<void>
}

/**
 * The API as far as a client sees it, over real HTTP: tokens, manifests and digests are verified
 * by the protocol's own code, and a submission is scored at once by comparing with `FIXED`.
 */
export async function startFakeApi(epoch: SampleEpoch): Promise<FakeApi> {
  const keys = new Map<string, PublicJwk>()
  const submissions = new Map<string, Submission>()
  const used = new Set<string>()
  const reportSigner = await newSigner()
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' }).end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const api: FakeApi = {
    origin,
    faults: {},
    submissions,
    uploads: 0,
    reportSigner,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const nowSeconds = () => Math.floor((Date.now() + (api.faults.clockErrorMs ?? 0)) / 1000)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('date', new Date(nowSeconds() * 1000).toUTCString())
    if (api.faults.before?.(request, response)) return
    const { method = '', url = '' } = request
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    const refuse = (refusal: Refusal) => {
      const problem = toProblem(refusal, origin)
      request.resume()
      response
        .writeHead(problem.status, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify(problem))
    }
    if (url === '/health') return void send(200, health(nowSeconds()))
    if (url === '/.well-known/jwks.json') return void send(200, await jwksOf(reportSigner))
    const { card } = epoch.view
    if (url === '/v1/epochs') return void send(200, listOf(epoch))
    if (url === `/v1/epochs/${card.id}`) return void send(200, epoch.view)
    if (url === `/v1/epochs/${card.id}/prompts`) {
      return void response
        .writeHead(200, { 'content-type': 'application/x-ndjson' })
        .end(epoch.text)
    }
    const raw = await readAll(request)
    const body = request.headers['content-encoding'] === 'gzip' ? await gunzip(raw) : raw
    if (url === '/v1/keys') {
      const wish = registerKeySchema.parse(JSON.parse(body.toString()))
      const jwk = readPublicJwk(wish.jwk)
      if (!jwk.ok) return refuse(jwk.error)
      const proof = await openProof(wish.proof, jwk.value, { origin, nowSeconds: nowSeconds() })
      if (!proof.ok) return refuse(proof.error)
      const key = await toKeyId(jwk.value)
      if (keys.has(key)) return refuse({ slug: 'key-taken' })
      keys.set(key, jwk.value)
      return void send(201, { organisation: ORGANISATION, key })
    }
    const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const keyId = readKeyId(token, 'request')
    const key = keys.get(keyId ?? '')
    if (token === '') return refuse({ slug: 'token-missing' })
    if (key === undefined) return refuse({ slug: 'token-invalid' })
    const claims = await openRequest(token, key, {
      origin,
      nowSeconds: nowSeconds(),
      method,
      target: url,
    })
    if (!claims.ok) return refuse(claims.error)
    if (used.has(claims.value.jti)) return refuse({ slug: 'token-replayed' })
    used.add(claims.value.jti)
    const matches = checkBody(claims.value, createHash('sha256').update(body).digest('hex'))
    if (!matches.ok) return refuse(matches.error)
    if (method === 'POST' && url === '/v1/submissions') {
      const { manifest: jws } = openSubmissionSchema.parse(JSON.parse(body.toString()))
      const opened = await openManifest(jws, key, { origin, nowSeconds: nowSeconds() })
      if (!opened.ok) return refuse(opened.error)
      const { manifest, sha256 } = opened.value
      if (manifest.epoch.card !== epoch.view.card_sha256) return refuse({ slug: 'epoch-mismatch' })
      const id = toSubmissionId(sha256)
      const known = submissions.get(id)
      if (known === undefined) submissions.set(id, { manifest, sha256, state: 'open', lines: [] })
      return void send(known === undefined ? 201 : 200, {
        submission: id,
        state: known?.state ?? 'open',
      })
    }
    const [, id = '', tail] = /^\/v1\/submissions\/(sub_[0-9a-f]{40})(\/patches)?$/.exec(url) ?? []
    const submission = submissions.get(id)
    if (method === 'PUT' && tail !== undefined && submission !== undefined) {
      if (submission.state !== 'open') return refuse({ slug: 'submission-state' })
      const { patches } = submission.manifest
      const isSame =
        createHash('sha256').update(body).digest('hex') === patches.sha256 &&
        body.length === patches.bytes
      if (!isSame) return refuse({ slug: 'patches-mismatch' })
      submission.lines = body.toString().trim().split('\n')
      submission.state = api.faults.incomplete ? 'incomplete' : 'scored'
      api.uploads += 1
      if (api.faults.loseUploadAnswer) {
        api.faults.loseUploadAnswer = false
        return void response.destroy()
      }
      return void send(202, viewOf(id, submission, epoch))
    }
    if (method === 'DELETE' && submission !== undefined && tail === undefined) {
      if (submission.state !== 'open') return refuse({ slug: 'submission-state' })
      submission.state = 'cancelled'
      return void send(200, { submission: id, state: 'cancelled' })
    }
    if (method === 'GET' && submission !== undefined && tail === undefined) {
      return void send(200, viewOf(id, submission, epoch))
    }
    if (method === 'GET' && url === '/v1/submissions') {
      const views = [...submissions].map(([each, value]) => viewOf(each, value, epoch))
      return void send(200, { submissions: views })
    }
    const reportOf = [...submissions].find(
      ([each]) => url === `/v1/reports/${toReportId(each)}.jws`,
    )
    if (reportOf !== undefined) {
      const report = scored(reportOf[1], epoch, origin)
      return void response
        .writeHead(200, { 'content-type': 'application/jose' })
        .end(await signReport(report, reportSigner))
    }
    refuse({ slug: 'not-found' })
  }
  return api
}

async function newSigner(): Promise<Signer> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const jwk = readPrivateJwk(privateKey.export({ format: 'jwk' }))
  if (!jwk.ok) throw new Error('no key')
  const signer = await toSigner(jwk.value)
  if (!signer.ok) throw new Error('no signer')
  return signer.value
}

async function jwksOf({ jwk, keyId }: Signer) {
  return { keys: [{ ...jwk, kid: keyId, alg: 'EdDSA', use: 'sig' }] }
}

function health(time: number) {
  return { status: 'ok', api: '0.1.0', protocol: 1, environment: 'test', time, sandbox: null }
}

function listOf({ view }: SampleEpoch) {
  const { id, kind, title, opens_at, closes_at, categories, prompts } = view.card
  return {
    epochs: [
      {
        id,
        kind,
        title,
        opens_at,
        closes_at,
        phase: view.phase,
        card_sha256: view.card_sha256,
        categories: categories.length,
        tasks: prompts.count,
      },
    ],
  }
}

function viewOf(
  id: string,
  { manifest, state }: Submission,
  { view }: SampleEpoch,
): SubmissionView {
  const total = view.card.categories.length
  return {
    id,
    epoch: manifest.epoch.id,
    part: manifest.part,
    state,
    ...(state === 'incomplete' ? { reason: 'sandbox_failed' as const } : {}),
    shards: { total, done: state === 'scored' ? total : 0 },
    created_at: '2026-11-30T00:00:00Z',
    ...(state === 'scored' && manifest.part === 'sealed' ? { report: toReportId(id) } : {}),
  }
}

async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) {
    if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  return Buffer.concat(chunks)
}

function gunzip(bytes: Buffer): Promise<Buffer> {
  const unzip = createGunzip()
  unzip.end(bytes)
  return readAll(unzip)
}
