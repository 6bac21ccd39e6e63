const LF = 0x0a
const BYTE_ORDER_MARK = '\ufeff'

/** Makes text of UTF-8 that comes in chunks, without a byte-order mark at the front. */
export type ChunkDecoder = { decode(chunk: Uint8Array): string; end(): string }

/**
 * As a `TextDecoder` that streams, which is only made where a chunk ends inside a line: it costs more
 * than the decoding of a short answer, and no character goes on behind a line feed.
 */
export function textDecoder(): ChunkDecoder {
  let streaming: InstanceType<typeof TextDecoder> | null = null
  let isFirst = true
  return {
    decode(chunk) {
      const ignoreBOM = !isFirst
      isFirst &&= chunk.length === 0
      if (streaming === null && chunk.at(-1) === LF) {
        const text = toBuffer(chunk).toString('utf8')
        return !ignoreBOM && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
      }
      streaming ??= new TextDecoder('utf-8', { ignoreBOM })
      return streaming.decode(chunk, { stream: true })
    },
    end: () => streaming?.decode() ?? '',
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
