import { type Edit, readEdit } from './edit.ts'
import { markHunkBodies } from './edit-diff-parse.ts'
import { type Candidate, findBrokenBlocks, findModuleBlocks } from './reply-blocks.ts'
import { type Choice, chooseModule } from './reply-choice.ts'
import { blockText, type FencedBlock, findFenceMarks, pairFences } from './reply-fences.ts'
import { findJsonModules } from './reply-json.ts'
import { definesName, isPython } from './reply-python.ts'
import { canonicalModule, splitLines } from './reply-text.ts'
import { endsTurn, stripEdgeTokens, stripLineTokens } from './reply-tokens.ts'
import { findUnfencedModules, trimProse } from './reply-unfenced.ts'

export type AnswerFailure =
  | 'empty'
  | 'no_code'
  | 'ambiguous'
  | 'truncated'
  | 'apply_failed'
  | 'bad_source'

/**
 * What a reply says, before the status of its text is known. `source` is the piece of the reply
 * that holds the answer; `isEnclosed`: it stands between marks, so that a cut at the length limit
 * cannot have taken a part of it.
 */
export type Answer =
  | { kind: 'module'; text: string; source: string; isEnclosed: boolean; notes: string[] }
  | { kind: 'none'; status: AnswerFailure; notes: string[] }

export type Task = { base: string; entryPoint: string }

/** Finds the one answer in a reply whose reasoning is already taken off. */
export function readAnswer(text: string, task: Task): Answer {
  const bare = stripEdgeTokens(text)
  if (bare.trim() === '') return none('empty')
  const whole = readBareModule(text, task) ?? readBareModule(bare, task)
  if (whole) return whole
  const lines = splitLines(bare)
  const layout = layOut(lines, task)
  const end = lines.findIndex((line, at) => !layout.isContent(at) && endsTurn(line))
  if (end < 0) return choose(layout, task)
  const ownTurn = [...lines.slice(0, end), stripLineTokens(lines[end] ?? '')]
  const answer = choose(layOut(ownTurn, task), task)
  return { ...answer, notes: [...answer.notes, 'run_on_ignored'] }
}

/** The reply is the module and nothing else, apart from loose words before or after it. */
function readBareModule(text: string, { entryPoint }: Task): Answer | null {
  const code = text.replace(/^(?:[^\S\n\f]*\n)+/, '')
  if (!isPython(code) || !definesName(code, entryPoint)) return null
  const { leading, trailing } = trimProse(code)
  const lines = splitLines(code)
  const module = lines.slice(leading, lines.length - trailing).join('\n')
  return { kind: 'module', text: module, source: module, isEnclosed: false, notes: ['unfenced'] }
}

/** Where code, blocks and hunks lie among the lines of a reply. */
type Layout = {
  lines: readonly string[]
  blocks: readonly FencedBlock[]
  /** Fenced blocks that are a whole module. */
  modules: readonly Candidate[]
  /** Runs of unfenced lines that are a whole module. */
  runs: readonly Candidate[]
  /** Whether a line lies inside a block, a hunk or a module. */
  isContent: (line: number) => boolean
  /** Whether a line lies inside a module, where every mark is the content of a string. */
  isText: (line: number) => boolean
}

function layOut(lines: readonly string[], { entryPoint }: Task): Layout {
  const runs = findUnfencedModules(lines, entryPoint)
  const hunks = markHunkBodies(lines)
  // A mark parses only inside a string, so a run that crosses it shows that it is no mark.
  const inRuns = cover(runs, lines.length)
  const marks = findFenceMarks(lines).filter(
    ({ line }) => !inRuns[line] && !(hunks[line] && /^[ +-]/.test(lines[line] ?? '')),
  )
  const modules = findModuleBlocks(lines, marks, entryPoint)
  const inModules = cover(modules, lines.length)
  const isText = (at: number) => inRuns[at] === true || inModules[at] === true
  const blocks = pairFences(
    marks.filter(({ line }) => !modules.some(({ from, to }) => line >= from - 1 && line <= to)),
    lines.length,
  )
  const inBlocks = cover(blocks, lines.length)
  return {
    lines,
    blocks,
    modules,
    runs: runs.filter(({ from }) => !inBlocks[from] && !inModules[from]),
    isText,
    isContent: (at) => isText(at) || hunks[at] === true || inBlocks[at] === true,
  }
}

/** For each line, whether one of the spans [from, to) holds it. */
function cover(spans: readonly { from: number; to: number }[], count: number): boolean[] {
  const covered = new Array<boolean>(count).fill(false)
  for (const { from, to } of spans) covered.fill(true, from, to)
  return covered
}

function choose(layout: Layout, task: Task): Answer {
  const { lines, blocks, modules, runs, isText } = layout
  const { base, entryPoint } = task
  const choice = chooseModule(modules, base)
  const edit = readEdit(lines, { blocks, isText, base, entryPoint })
  const unclosed = blocks.find(({ close }) => close === null)
  if (unclosed && continuesAnswer(lines, unclosed, entryPoint))
    return none('truncated', 'cause=unclosed_block')
  if (edit && (choice.kind === 'none' || isOnlyQuote(choice))) return fromEdit(edit)
  if (choice.kind !== 'none') return fromChoice(choice, edit, [])
  const isStray = unclosed?.open.tag === '' && runs.length > 0
  if (unclosed && !isStray) return none('truncated', 'cause=unclosed_block')
  const broken = chooseModule(findBrokenBlocks(lines, blocks, entryPoint), base)
  // What does not parse proves nothing about marks inside of it.
  if (broken.kind !== 'none') return withoutSource(fromChoice(broken, null, []))
  // Dropping the line as prose would be a repair that nobody asked for.
  if (lines.some((line) => line.includes('\u0000'))) return none('bad_source', 'nul_character')
  const run = chooseModule(runs, base)
  const notes = unclosed ? ['unfenced', 'stray_fence'] : ['unfenced']
  if (run.kind !== 'none') return fromChoice(run, null, notes)
  const json = chooseModule(findWrapped(lines, blocks, entryPoint), base)
  if (json.kind !== 'none') return fromChoice(json, null, ['format=json'])
  return readNothing(lines, blocks, task)
}

function readNothing(
  lines: readonly string[],
  blocks: readonly FencedBlock[],
  { entryPoint }: Task,
): Answer {
  const defines = new RegExp(`^\\s*(?:async\\s+)?(?:def|class)\\s+${entryPoint}\\b`)
  if (lines.some((line) => defines.test(line))) return none('bad_source', 'unfenced')
  return blocks.length > 0
    ? none('no_code', `blocks_without_entry_point=${blocks.length}`)
    : none('no_code')
}

function findWrapped(
  lines: readonly string[],
  blocks: readonly FencedBlock[],
  entryPoint: string,
): Candidate[] {
  const texts = [lines.join('\n'), ...blocks.map(({ open, to }) => blockText(lines, open, to))]
  return texts.flatMap((text) => findJsonModules(text, entryPoint))
}

/** An unclosed block that would have held the answer, or another version of it. */
function continuesAnswer(
  lines: readonly string[],
  { from }: FencedBlock,
  entryPoint: string,
): boolean {
  const definition = new RegExp(`^[ +]?\\s*(?:async\\s+)?(?:def|class)\\s+${entryPoint}\\b`)
  return lines
    .slice(from)
    .some((line) => definition.test(line) || /^\s*(?:@@ -|<{5,9} ?SEARCH)/.test(line))
}

function withoutSource(answer: Answer): Answer {
  return answer.kind === 'module' ? { ...answer, source: '' } : answer
}

function isOnlyQuote(choice: Choice): boolean {
  return choice.kind === 'one' && choice.isQuote
}

function fromEdit({ source, isEnclosed, result }: Edit): Answer {
  if (!result.ok) return none(result.status, ...result.notes)
  return { kind: 'module', text: result.module, source, isEnclosed, notes: result.notes }
}

/** A whole module beside an edit: both must say the same, unless the edit fits nowhere. */
function fromChoice(choice: Choice, edit: Edit | null, notes: string[]): Answer {
  if (choice.kind === 'none') return none('no_code')
  if (choice.kind === 'many') return none('ambiguous', `modules=${choice.count}`)
  const { text } = choice.candidate
  if (edit?.result.ok && canonicalModule(edit.result.module) !== canonicalModule(text))
    return none('ambiguous', 'cause=module_and_edit_differ')
  const all = [...notes, ...choice.notes]
  if (edit && !edit.result.ok) all.push('edit_ignored')
  return { kind: 'module', text, source: text, isEnclosed: !all.includes('unfenced'), notes: all }
}

function none(status: AnswerFailure, ...notes: string[]): Answer {
  return { kind: 'none', status, notes }
}
