import { EXIT } from './exit.ts'
import { Failure, messageOf } from './failure.ts'
import type { ByteSource } from './predictions-bytes.ts'
import { type Layout, layOut, type Member, type Span } from './predictions-layout.ts'
import { withKeyAsId } from './predictions-shapes.ts'

export type Found = { value: unknown; where: string }

/** The records of a file, read one at a time and again as often as needed; ids that a dict repeats. */
export type Container = { records: () => Generator<Found>; repeated: string[] }

const LF = 0x0a

/**
 * Splits a predictions file into records. `.json` is JSON and anything else JSON Lines, as sb-cli
 * has it; a list in a `.jsonl` file and lines in a `.json` file are read all the same.
 * @throws Failure (usage) with the place where the text is neither.
 */
export function readContainer(source: ByteSource): Container {
  const layout = layOut(source)
  if (layout.kind === 'list') return fromList(source, layout.members)
  if (layout.kind === 'dict') return fromDict(source, layout)
  const isOneDocument = source.name.toLowerCase().endsWith('.json') && !hasJsonLine(source)
  if (isOneDocument || firstByte(source) === '[') throw notJson(source)
  return { records: () => fromLines(source), repeated: [] }
}

function fromList(source: ByteSource, members: readonly Member[]): Container {
  function* records() {
    for (const [index, { value }] of members.entries()) {
      const where = `item ${index + 1}`
      yield { value: read(source, value, where), where }
    }
  }
  return { records, repeated: [] }
}

/** A dict keyed by id, or one record that stands alone. */
function fromDict(
  source: ByteSource,
  { members, whole }: Extract<Layout, { whole: Span }>,
): Container {
  if (!members.every(({ isNested }) => isNested)) {
    const where = `line ${whole.line}`
    return { records: () => one({ value: read(source, whole, where), where }), repeated: [] }
  }
  const keys = members.map(({ key }) => (key === null ? '' : String(read(source, key, 'a key'))))
  function* records() {
    for (const [index, { value }] of members.entries()) {
      const key = keys[index] ?? ''
      yield { value: withKeyAsId(key, read(source, value, `key ${key}`)), where: `key ${key}` }
    }
  }
  const known = new Set<string>()
  const repeated = keys.filter((key) => known.size === known.add(key).size)
  return { records, repeated }
}

function* one(found: Found): Generator<Found> {
  yield found
}

function* fromLines(source: ByteSource): Generator<Found> {
  for (const { span, isLast } of linesOf(source)) {
    const text = source.text(span.offset, span.length)
    if (text.trim() === '') continue
    const parsed = parse(text)
    if (parsed.ok) yield { value: parsed.value, where: `line ${span.line}` }
    else {
      throw new Failure(EXIT.usage, `${source.name}: line ${span.line} is not JSON`, {
        why: isLast ? 'the file ends in the middle of this line' : parsed.why,
        next: isLast
          ? 'let the tool that wrote it finish, or remove the last line'
          : 'one JSON object a line is wanted, or one JSON list or object in the whole file',
      })
    }
  }
}

/** Split at LF alone: U+2028 and its like are part of a line. */
function* linesOf(source: ByteSource): Generator<{ span: Span; isLast: boolean }> {
  let line = 1
  let from = source.start
  let at = source.start
  for (const piece of source.pieces(source.start)) {
    for (let to = piece.indexOf(LF); to !== -1; to = piece.indexOf(LF, to + 1)) {
      yield { span: { offset: from, length: at + to - from, line }, isLast: false }
      from = at + to + 1
      line += 1
    }
    at += piece.length
  }
  yield { span: { offset: from, length: source.size - from, line }, isLast: true }
}

function read(source: ByteSource, { offset, length, line }: Span, where: string): unknown {
  const parsed = parse(source.text(offset, length))
  if (parsed.ok) return parsed.value
  throw new Failure(EXIT.usage, `${source.name} is not JSON`, {
    why: `${where === `line ${line}` ? '' : `${where}, `}line ${line}: ${parsed.why}`,
  })
}

/** Reads it whole once more, for the words of the parser. */
function notJson(source: ByteSource): Failure {
  const parsed = parse(source.text(source.start, source.size - source.start))
  const what = parsed.ok ? 'holds no predictions' : 'is not JSON'
  const why = parsed.ok ? 'its JSON is neither a list nor an object' : parsed.why
  return new Failure(EXIT.usage, `${source.name} ${what}`, { why })
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; why: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, why: messageOf(error) }
  }
}

function hasJsonLine(source: ByteSource): boolean {
  for (const { span, isLast } of linesOf(source)) {
    return !isLast && parse(source.text(span.offset, span.length)).ok
  }
  return false
}

function firstByte(source: ByteSource): string {
  for (const piece of source.pieces(source.start)) {
    const text = piece.toString('latin1').trimStart()
    if (text !== '') return text.slice(0, 1)
  }
  return ''
}
