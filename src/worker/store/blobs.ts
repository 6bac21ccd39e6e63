import { insist, type Pause } from './resilient.ts'

/** R2 wants parts of at least 5 MiB, all of one size but the last; one part is what a stream holds in memory. */
const PART_BYTES = 8 * 1024 * 1024

/** Every key of the bucket. docs/storage.md says how long each object lives. */
export const blobKeys = {
  /** The public prompts of an epoch; named by digest, never rewritten with other bytes. */
  prompts: (epoch: string, sha256: string) => `epochs/${epoch}/prompts-${sha256}.jsonl`,
  /** One upload of patches; its shards are byte ranges of it. */
  upload: (submission: string, upload: string) => `uploads/${submission}/${upload}.ndjson`,
  /** A report: the signed payload and the compact JWS over it. */
  report: (sha256: string) => `reports/${sha256}.jws`,
}

export type BlobWriter = {
  /** Takes a copy of the bytes; writes a part when one is full. */
  write(bytes: Uint8Array): Promise<void>
  /** Makes the object visible. Before this nobody sees it. */
  finish(): Promise<void>
  /** Drops what was written. */
  abort(): Promise<void>
}

export type Blobs = {
  get(key: string): Promise<R2ObjectBody | null>
  /** The bytes [offset, offset + length) of an object; null if there is no such object. */
  range(key: string, offset: number, length: number): Promise<Uint8Array | null>
  put(key: string, bytes: Uint8Array | string): Promise<void>
  writer(key: string): BlobWriter
  remove(key: string): Promise<void>
}

/** The bucket with lost calls repeated. Every key is written with the same bytes or once, so that twice is safe. */
export function openBlobs(bucket: R2Bucket, pause: Pause): Blobs {
  return {
    get: (key) => insist(() => bucket.get(key), pause),
    async range(key, offset, length) {
      return insist(async () => {
        const object = await bucket.get(key, { range: { offset, length } })
        return object ? new Uint8Array(await object.arrayBuffer()) : null
      }, pause)
    },
    async put(key, bytes) {
      await insist(() => bucket.put(key, bytes), pause)
    },
    writer: (key) => multipart(bucket, key, pause),
    async remove(key) {
      await insist(() => bucket.delete(key), pause)
    },
  }
}

/** A stream of unknown length into R2 with one part in memory; small ones become a plain put. */
function multipart(bucket: R2Bucket, key: string, pause: Pause): BlobWriter {
  let upload: R2MultipartUpload | null = null
  const parts: R2UploadedPart[] = []
  const part = new Uint8Array(PART_BYTES)
  let used = 0

  const flush = async () => {
    upload ??= await insist(() => bucket.createMultipartUpload(key), pause)
    const open = upload
    const bytes = part.subarray(0, used)
    parts.push(await insist(() => open.uploadPart(parts.length + 1, bytes), pause))
    used = 0
  }

  return {
    async write(bytes) {
      for (let at = 0; at < bytes.byteLength; ) {
        const taken = Math.min(PART_BYTES - used, bytes.byteLength - at)
        part.set(bytes.subarray(at, at + taken), used)
        used += taken
        at += taken
        if (used === PART_BYTES) await flush()
      }
    },
    async finish() {
      const open = upload
      if (open === null) {
        await insist(() => bucket.put(key, part.subarray(0, used)), pause)
        return
      }
      if (used > 0) await flush()
      await insist(() => open.complete(parts), pause)
    },
    async abort() {
      await upload?.abort().catch(() => undefined)
    },
  }
}
