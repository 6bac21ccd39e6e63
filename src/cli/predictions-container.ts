import { EXIT } from './exit.ts'
import { Failure, messageOf } from './failure.ts'
import { withKeyAsId } from './predictions-shapes.ts'

/** The records of a file and where each stands; ids that a dict repeats. */
export type Container = {
  records: { value: unknown; where: string }[]
  repeated: string[]
}

/**
 * Splits a predictions file into records. `.json` is JSON and anything else JSON Lines, as sb-cli
 * has it; a list in a `.jsonl` file and lines in a `.json` file are read all the same.
 * @throws Failure (usage) with line and column where the text is neither.
 */
export function readContainer(text: string, fileName: string): Container {
  const whole = parse(text)
  if (whole.ok) return fromDocument(whole.value, text)
  const isOneDocument = fileName.toLowerCase().endsWith('.json') && !hasJsonLine(text)
  if (isOneDocument || text.trimStart().startsWith('['))
    throw new Failure(EXIT.usage, `${fileName} is not JSON`, { why: whole.why })
  return fromLines(text, fileName)
}

/** A list, a dict keyed by id, or a single record. */
function fromDocument(value: unknown, text: string): Container {
  if (Array.isArray(value))
    return {
      records: value.map((item, index) => ({ value: item, where: `item ${index + 1}` })),
      repeated: [],
    }
  if (typeof value !== 'object' || value === null)
    return { records: [{ value, where: 'line 1' }], repeated: [] }
  const entries = Object.entries(value)
  const isDict = entries.every(([, inner]) => typeof inner === 'object' && inner !== null)
  if (!isDict) return { records: [{ value, where: 'line 1' }], repeated: [] }
  const records = entries.map(([key, inner]) => ({
    value: withKeyAsId(key, inner),
    where: `key ${key}`,
  }))
  const keys = topLevelKeys(text)
  return { records, repeated: keys.filter((key, index) => keys.indexOf(key) < index) }
}

function fromLines(text: string, fileName: string): Container {
  const lines = text.split('\n')
  const records = lines.flatMap((line, index) => {
    if (line.trim() === '') return []
    const parsed = parse(line)
    if (parsed.ok) return [{ value: parsed.value, where: `line ${index + 1}` }]
    const isCut = index === lines.length - 1
    throw new Failure(EXIT.usage, `${fileName}: line ${index + 1} is not JSON`, {
      why: isCut ? 'the file ends in the middle of this line' : parsed.why,
      next: isCut
        ? 'let the tool that wrote it finish, or remove the last line'
        : 'one JSON object a line is wanted, or one JSON list or object in the whole file',
    })
  })
  return { records, repeated: [] }
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; why: string } {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch (error) {
    return { ok: false, why: messageOf(error) }
  }
}

function hasJsonLine(text: string): boolean {
  return parse(text.slice(0, Math.max(0, text.indexOf('\n')))).ok
}

/** Keys of the outermost object in order. JSON.parse keeps the last of two equal ones in silence. */
export function topLevelKeys(text: string): string[] {
  const keys: string[] = []
  let depth = 0
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (
      depth === 1 &&
      /^\s*:/.test(text.slice(index + token.length, index + token.length + 99))
    )
      keys.push(String(JSON.parse(token)))
  }
  return keys
}
