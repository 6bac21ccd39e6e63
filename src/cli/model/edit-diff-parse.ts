import { type DiffPath, readDiffPath } from './edit-path.ts'

export type HunkLine = { mark: ' ' | '+' | '-'; text: string }

export type Hunk = {
  /** First line in the old file as the header claims, counted from 1; null if it says nothing. */
  start: number | null
  lines: HunkLine[]
  /** The header's counts disagree with the body. The body is right. */
  isRecounted: boolean
}

export type DiffFile = {
  from: DiffPath
  to: DiffPath
  hunks: Hunk[]
  /** What the header asks for beyond an edit of text, such as `mode` or `binary`. */
  refusal: string | null
}

export type Diff = { files: DiffFile[]; malformedLine: number | null }

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^(?:old mode|new mode) /, 'mode'],
  [/^new file mode (?!100644)/, 'mode'],
  [/^deleted file mode /, 'delete'],
  [/^(?:rename|copy) (?:from|to) /, 'rename'],
  [/^(?:Binary files |GIT binary patch)/, 'binary'],
  [/^\*\*\* (?:Delete File|Move to):/, 'delete'],
]

/** Whether these lines carry the marks of a diff: a hunk header, or a pair of file headers. */
export function hasDiffMarks(lines: readonly string[]): boolean {
  return lines.some((_, at) => isFileHeader(lines, at) || /^@@(?: |$)/.test(lines[at] ?? ''))
}

export function isFileHeader(lines: readonly string[], at: number): boolean {
  return (
    (/^--- \S/.test(lines[at] ?? '') && /^\+\+\+ \S/.test(lines[at + 1] ?? '')) ||
    /^(?:diff --git |\*\*\* (?:Update|Add|Delete) File: )/.test(lines[at] ?? '')
  )
}

/** For each line, whether it is part of the body of a hunk whose header starts its line. */
export function markHunkBodies(lines: readonly string[]): boolean[] {
  let isBody = false
  return lines.map((line, at) => {
    if (HUNK.test(line)) isBody = true
    else if (isBody) isBody = /^(?:[ +\-\\]|$)/.test(line) && !isFileHeader(lines, at)
    return isBody
  })
}

/**
 * Reads a unified diff (or the `*** Update File:` form) line by line. The body of a hunk decides
 * where it ends; the counts of its header are only compared with it. An empty line inside a hunk
 * is a blank context line whose space was lost.
 * `isLoose`: the diff stands in prose, which ends it; otherwise a line without a mark is an error.
 */
export function parseDiff(lines: readonly string[], isLoose = false): Diff {
  const files: DiffFile[] = []
  let malformedLine: number | null = null
  let at = 0
  const current = (): DiffFile => {
    const last = files.at(-1)
    if (last) return last
    const unnamed: DiffFile = {
      from: { kind: 'none' },
      to: { kind: 'none' },
      hunks: [],
      refusal: null,
    }
    files.push(unnamed)
    return unnamed
  }
  while (at < lines.length) {
    const line = lines[at] ?? ''
    const refused = REFUSED.find(([pattern]) => pattern.test(line))
    if (line.startsWith('diff --git ')) {
      files.push(gitFile(line))
      at++
    } else if (/^--- \S/.test(line) && isFileHeader(lines, at)) {
      nameFile(files, line.slice(4), (lines[at + 1] ?? '').slice(4))
      at += 2
    } else if (/^\*\*\* (?:Update|Add) File: /.test(line)) {
      const name = line.replace(/^\*\*\* \w+ File: /, '')
      files.push({ from: readDiffPath(name), to: readDiffPath(name), hunks: [], refusal: null })
      at++
    } else if (refused && files.length > 0) {
      current().refusal ??= refused[1]
      at++
    } else if (/^@@(?: |$)/.test(line)) {
      const hunk = readHunk(lines, at, isLoose)
      current().hunks.push(hunk.hunk)
      at = hunk.next
    } else {
      if (!isLoose && current().hunks.length > 0 && isStray(line)) malformedLine ??= at + 1
      at++
    }
  }
  return { files, malformedLine }
}

/** A body without any hunk header: all of it is one hunk, placed by its content. */
export function parseBareHunk(lines: readonly string[]): Diff {
  const from = lines.findIndex((line) => !/^(?:---|\+\+\+) \S/.test(line))
  const body = lines.slice(Math.max(0, from))
  const stray = body.findIndex((line) => line !== '' && !/^[ +-]/.test(line))
  if (stray >= 0) return { files: [], malformedLine: from + stray + 1 }
  const hunk = { start: null, lines: toHunkLines(body), isRecounted: false }
  const none: DiffPath = { kind: 'none' }
  return { files: [{ from: none, to: none, hunks: [hunk], refusal: null }], malformedLine: null }
}

function readHunk(
  lines: readonly string[],
  header: number,
  isLoose: boolean,
): { hunk: Hunk; next: number } {
  const numbers = HUNK.exec(lines[header] ?? '')
  const oldCount = numbers ? Number(numbers[2] ?? 1) : null
  const newCount = numbers ? Number(numbers[4] ?? 1) : null
  const body: string[] = []
  let at = header + 1
  for (; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (!/^(?:[ +\-\\]|$)/.test(line) || isFileHeader(lines, at)) break
    // In prose a blank line ends the hunk once the counts are met: a list may follow.
    if (isLoose && line === '' && countsAre(toHunkLines(body), oldCount, newCount)) break
    body.push(line)
  }
  const hunkLines = toHunkLines(body)
  const hunk: Hunk = {
    start: numbers ? Number(numbers[1]) : null,
    lines: hunkLines,
    isRecounted:
      numbers !== null &&
      !countsAre(hunkLines, oldCount, newCount) &&
      !countsAre(toHunkLines(body, true), oldCount, newCount),
  }
  return { hunk, next: at }
}

/** Empty lines at the end belong to the wrapping; as context they would only loosen the anchor. */
function toHunkLines(body: readonly string[], keepBlankEnd = false): HunkLine[] {
  let end = body.length
  while (!keepBlankEnd && end > 0 && body[end - 1] === '') end--
  return body.slice(0, end).flatMap((line): HunkLine[] => {
    const [mark] = line
    if (mark === '\\') return []
    return [{ mark: mark === '+' || mark === '-' ? mark : ' ', text: line.slice(1) }]
  })
}

function countsAre(lines: readonly HunkLine[], oldCount: number | null, newCount: number | null) {
  const count = (mark: string) => lines.filter((line) => line.mark !== mark).length
  return count('+') === oldCount && count('-') === newCount
}

function gitFile(line: string): DiffFile {
  const [from = '', to = ''] = line.slice('diff --git '.length).split(' ')
  return { from: readDiffPath(from), to: readDiffPath(to), hunks: [], refusal: null }
}

/** The `---` and `+++` lines after a `diff --git` line name the same file again. */
function nameFile(files: DiffFile[], from: string, to: string): void {
  const last = files.at(-1)
  const names = { from: readDiffPath(from), to: readDiffPath(to) }
  if (last && last.hunks.length === 0 && last.refusal === null) Object.assign(last, names)
  else if (last && last.hunks.length === 0) files.push({ ...last, ...names })
  else files.push({ ...names, hunks: [], refusal: null })
}

function isStray(line: string): boolean {
  return (
    line !== '' && !/^(?:index |similarity |dissimilarity |new file mode|\*\*\* |\\)/.test(line)
  )
}
