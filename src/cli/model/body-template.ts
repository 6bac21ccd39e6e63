/** Requests that differ in their prompt alone, cut where it belongs. */
export type BodyTemplate = { head: Uint8Array; tail: Uint8Array }

/**
 * Encodes a request around a prompt that is not there yet.
 *
 * JSON escapes each character by itself, so the escaped text of any prompt can stand where the
 * escaped mark stood, and the whole is what encoding with that prompt would have made.
 *
 * @param encode - makes the body of a request whose user message ends with this text
 */
export function bodyTemplate(encode: (prompt: string) => Buffer): BodyTemplate {
  for (let number = 1; ; number += 1) {
    // Cannot overlap with itself, so that the text around it cannot make it ambiguous.
    const mark = `<prompt ${number}>`
    const body = encode(mark)
    const at = body.indexOf(mark)
    if (at !== body.lastIndexOf(mark)) continue
    return { head: body.subarray(0, at), tail: body.subarray(at + mark.length) }
  }
}
