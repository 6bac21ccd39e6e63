/** How closely the lines of an edit must agree with the module, from strict to loose. */
const LEVELS = ['exact', 'trailing_blanks', 'lookalikes'] as const
export type MatchLevel = (typeof LEVELS)[number]

export type Matches = {
  level: MatchLevel
  /** Indexes of first lines where the whole block agrees. */
  positions: number[]
}

/**
 * Where `block` stands in `lines`. A looser level is tried only when the stricter ones find
 * nothing. Loose matching decides only where an edit goes, never what it writes.
 */
export function findBlock(lines: readonly string[], block: readonly string[]): Matches {
  for (const level of LEVELS) {
    const wanted = block.map((line) => fold(line, level))
    const present = lines.map((line) => fold(line, level))
    const positions = positionsOf(present, wanted)
    if (positions.length > 0) return { level, positions }
  }
  return { level: 'exact', positions: [] }
}

function positionsOf(lines: readonly string[], block: readonly string[]): number[] {
  const positions: number[] = []
  for (let start = 0; start + block.length <= lines.length; start++)
    if (block.every((line, offset) => lines[start + offset] === line)) positions.push(start)
  return positions
}

function fold(line: string, level: MatchLevel): string {
  if (level === 'exact') return line
  if (level === 'trailing_blanks') return line.trimEnd()
  return foldLookalikes(line).trimEnd()
}

/** Spaces, hyphens and quotes that look alike become the ASCII one; invisible marks go. */
export function foldLookalikes(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201b\u2032]/g, "'")
    .replace(/[\u201c-\u201f\u2033]/g, '"')
    .replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' ')
    .replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
}
