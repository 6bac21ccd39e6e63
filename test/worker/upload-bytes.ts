export const pack = async (bytes: ReadableStream<Uint8Array<ArrayBuffer>>) =>
  new Uint8Array(await new Response(bytes.pipeThrough(new CompressionStream('gzip'))).arrayBuffer())
export const gzip = (bytes: Uint8Array<ArrayBuffer>) => pack(new Blob([bytes]).stream())

/** `count` megabytes of zeros, packed. */
export function bombOf(count: number) {
  let left = count
  return pack(
    new ReadableStream({
      pull(controller) {
        left -= 1
        if (left < 0) controller.close()
        else controller.enqueue(new Uint8Array(1_000_000))
      },
    }),
  )
}

export const bytesOf = (lines: unknown[]) =>
  Uint8Array.from(
    new TextEncoder().encode(
      lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
    ),
  )
