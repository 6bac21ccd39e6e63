import { readFileSync } from 'node:fs'
import { EXIT } from './exit.ts'
import { codeOf, Failure, messageOf } from './failure.ts'

/**
 * Text of a file that a person or another program wrote: UTF-8, with or without a mark.
 *
 * UTF-16 is what a redirect in Windows PowerShell makes; it is named, never guessed at.
 */
export function readTextFile(file: string): string {
  return decodeText(readBytes(file), file)
}

export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error)
    throw new Failure(EXIT.usage, `cannot read ${file}`, { why, cause: error })
  }
}

export function decodeText(bytes: Uint8Array, file: string): string {
  refuseUtf16(bytes, file)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Failure(EXIT.usage, `${file} is not UTF-8`, { cause })
  }
}

export function refuseUtf16(bytes: Uint8Array, file: string): void {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new Failure(EXIT.usage, `${file} is UTF-16, not UTF-8`, {
      why: 'a redirect (>) in Windows PowerShell writes UTF-16',
      next: 'let the tool write the file itself (--output FILE), or pipe through: Out-File -Encoding utf8',
    })
  }
}

/** JSON of a file, or a usage failure with line and column. */
export function readJsonFile(file: string): unknown {
  const text = readTextFile(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Failure(EXIT.usage, `${file} is not JSON`, {
      why: `${placeOf(error, text)}${messageOf(error)}`,
      cause: error,
    })
  }
}

/** V8 states an offset, or line and column, or only quotes the text, depending on the fault. */
function placeOf(error: unknown, text: string): string {
  const message = messageOf(error)
  if (/line \d+ column \d+/.test(message)) return ''
  const stated = /position (\d+)/.exec(message)?.[1]
  const offset = stated === undefined ? faultOffset(text) : Number(stated)
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: `
}

/** First offset at which no JSON text can go on: the longest prefix that fails only by its end. */
function faultOffset(text: string): number {
  let good = 0
  let bad = text.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isUnfinished(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

function isUnfinished(prefix: string): boolean {
  try {
    JSON.parse(prefix)
    return true
  } catch (error) {
    return /end of JSON input|Unterminated|Expected .* (?:at position|in JSON)/.test(
      messageOf(error),
    )
  }
}
