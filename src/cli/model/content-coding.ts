import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/**
 * Undoes the coding that a `content-encoding` header names; null where there is nothing to undo or
 * the coding is not known. No request asks for one, but some gateways code all that passes.
 */
export function decoderOf(header: string | string[] | undefined): Transform | null {
  // What has come is given out at once: a stream of tokens does not wait for a full block.
  const flush = constants.Z_SYNC_FLUSH
  switch (
    String(header ?? '')
      .trim()
      .toLowerCase()
  ) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ flush })
    case 'deflate':
      return createInflate({ flush })
    case 'br':
      return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
    default:
      return null
  }
}
