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
  let isFront = true
  // Node's decoder takes two marks for one where the first comes in pieces.
  const withoutMark = (text: string): string => {
    if (!isFront || text === '') return text
    isFront = false
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }
  return {
    decode(chunk) {
      if (streaming === null && chunk.at(-1) === LF) {
        return withoutMark(toBuffer(chunk).toString('utf8'))
      }
      streaming ??= new TextDecoder('utf-8', { ignoreBOM: true })
      return withoutMark(streaming.decode(chunk, { stream: true }))
    },
    end: () => withoutMark(streaming?.decode() ?? ''),
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
