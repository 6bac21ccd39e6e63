import { z } from 'zod'
import { toBase64url } from '../../src/protocol/base64url.ts'
import type { RequestClaims } from '../../src/protocol/claims.ts'
import { EMPTY_SHA256, sha256Hex } from '../../src/protocol/digest.ts'
import { epochViewSchema } from '../../src/protocol/epoch.ts'
import {
  type Signer,
  signManifest,
  signProof,
  signRequest,
  toSigner,
} from '../../src/protocol/jws.ts'
import { readPrivateJwk } from '../../src/protocol/keys.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import type { Part } from '../../src/protocol/part.ts'
import { openedSubmissionSchema, registeredKeySchema } from '../../src/protocol/submission.ts'
import type { SampleEpoch } from './epoch-sample.ts'
import { FIXED } from './fake-sandbox.ts'
import { ORIGIN } from './secrets.ts'
import type { World } from './world.ts'

export async function newSigner(): Promise<Signer> {
  const pair = await crypto.subtle.generateKey({ name: 'Ed25519' }, true, ['sign', 'verify'])
  if (!('privateKey' in pair)) throw new Error('no pair')
  const exported = await crypto.subtle.exportKey('jwk', pair.privateKey)
  // workerd exports members of other key types too, without a value.
  const jwk = readPrivateJwk(JSON.parse(JSON.stringify(exported)))
  const signer = jwk.ok ? await toSigner(jwk.value) : jwk
  if (!signer.ok) throw new Error(signer.error.detail)
  return signer.value
}

export const newJti = () => toBase64url(crypto.getRandomValues(new Uint8Array(16)))

/** A module for a task, or null for no answer. */
export type Answer = (instanceId: string, index: number) => string | null

/** Two of three tasks are fixed. */
export const MOSTLY_FIXED: Answer = (_, index) => (index % 3 === 0 ? 'pass\n' : FIXED)

/** The bytes that a client sends for an epoch. */
export function patchesOf(
  epoch: SampleEpoch,
  answer: Answer = MOSTLY_FIXED,
): Uint8Array<ArrayBuffer> {
  const lines = epoch.instanceIds.map((instance_id, index) => {
    const module = answer(instance_id, index)
    return module === null ? { instance_id, module, reason: 'not_run' } : { instance_id, module }
  })
  return Uint8Array.from(
    new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  )
}

const viewSchema = z.record(z.string(), z.unknown())

/** An organisation with one registered key, as its client acts. */
export class Vendor {
  readonly world: World
  readonly signer: Signer
  organisation = ''

  constructor(world: World, signer: Signer) {
    this.world = world
    this.signer = signer
  }

  static async join(world: World, name?: string): Promise<Vendor> {
    const vendor = new Vendor(world, await newSigner())
    const reply = await vendor.register(name)
    const { organisation } = registeredKeySchema.parse(await reply.json())
    vendor.organisation = organisation
    return vendor
  }

  get seconds(): number {
    return Math.floor(this.world.clock.now() / 1000)
  }

  async register(name?: string): Promise<Response> {
    const proof = await signProof(
      {
        iss: this.signer.keyId,
        aud: ORIGIN,
        organisation: name ?? null,
        iat: this.seconds,
        exp: this.seconds + 60,
        jti: newJti(),
      },
      this.signer,
    )
    const body = {
      jwk: this.signer.jwk,
      proof,
      ...(name === undefined ? {} : { organisation: name }),
    }
    return this.world.fetch('/v1/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  /** A request token; `claims` changes what an honest client would say. */
  token(method: RequestClaims['htm'], path: string, body: string, claims = {}): Promise<string> {
    const honest: RequestClaims = {
      iss: this.signer.keyId,
      aud: ORIGIN,
      htm: method,
      htu: path,
      body,
      iat: this.seconds,
      exp: this.seconds + 60,
      jti: newJti(),
    }
    return signRequest({ ...honest, ...claims }, this.signer)
  }

  async get(path: string): Promise<Response> {
    return this.send('GET', path)
  }

  async send(method: RequestClaims['htm'], path: string, json?: unknown, claims = {}) {
    const body = json === undefined ? undefined : JSON.stringify(json)
    const digest = body === undefined ? EMPTY_SHA256 : await sha256Hex(body)
    const token = await this.token(method, path, digest, claims)
    return this.world.fetch(path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    })
  }

  async manifest(
    epoch: SampleEpoch,
    patches: Uint8Array,
    change: Partial<Manifest> = {},
  ): Promise<Manifest> {
    const reply = await this.world.fetch(`/v1/epochs/${epoch.id}`)
    const { card, card_sha256 } = epochViewSchema.parse(await reply.json())
    return {
      manifest: 1,
      iss: this.signer.keyId,
      aud: ORIGIN,
      organisation: this.organisation,
      part: 'sealed',
      epoch: { id: epoch.id, card: card_sha256, prompts: card.prompts.sha256 },
      patches: {
        sha256: await sha256Hex(patches),
        bytes: patches.byteLength,
        count: epoch.instanceIds.length,
      },
      model: {
        name: 'ollama/sample:7b',
        provider: null,
        parameters: null,
        quantisation: 'Q4_K_M',
        weights_sha256: null,
        server: null,
        context_length: 8192,
        sampling: { temperature: 0, top_p: null, top_k: null, seed: 1, max_tokens: null },
      },
      client: { name: 'failmap', version: '0.1.0' },
      prompt_version: 1,
      iat: this.seconds,
      exp: this.seconds + 3600,
      jti: newJti(),
      ...change,
    }
  }

  async open(manifest: Manifest): Promise<Response> {
    const jws = await signManifest(manifest, this.signer)
    return this.send('POST', '/v1/submissions', { manifest: jws })
  }

  /** Sends patches; `init` changes what an honest client would send. */
  async upload(
    id: string,
    patches: Uint8Array<ArrayBuffer>,
    init: RequestInit = {},
  ): Promise<Response> {
    const path = `/v1/submissions/${id}/patches`
    const token = await this.token('PUT', path, await sha256Hex(patches))
    return this.world.fetch(path, {
      method: 'PUT',
      body: patches,
      ...init,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/x-ndjson',
        ...init.headers,
      },
    })
  }

  /** Opens a submission and sends its patches; answers its id. */
  async submit(epoch: SampleEpoch, answer: Answer = MOSTLY_FIXED, part: Part = 'sealed') {
    const patches = patchesOf(epoch, answer)
    const opened = await this.open(await this.manifest(epoch, patches, { part }))
    const { submission } = openedSubmissionSchema.parse(await opened.json())
    const uploaded = await this.upload(submission, patches)
    if (uploaded.status !== 200) throw new Error(await uploaded.text())
    return submission
  }

  async view(id: string) {
    const reply = await this.get(`/v1/submissions/${id}`)
    return viewSchema.parse(await reply.json())
  }
}
