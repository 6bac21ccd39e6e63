import type { Diff, DiffFile, Hunk } from './edit-diff-parse.ts'
import { applyHunks } from './edit-hunks.ts'
import { type EditResult, editAmbiguous, editFailed } from './edit-result.ts'
import { definesName, isPython } from './reply-python.ts'

/**
 * Applies a parsed diff to the one module of a task. The part that fits the module is its part,
 * whatever its name; parts for other files are dropped and counted. One unsafe path, or one part
 * that asks for more than an edit of text, refuses the whole diff.
 */
export function applyDiff(base: string, diff: Diff, entryPoint: string): EditResult {
  if (diff.malformedLine !== null)
    return editFailed('cause=malformed_hunk', `line=${diff.malformedLine}`)
  const parts = diff.files.filter((file) => file.hunks.length > 0 || file.refusal !== null)
  if (diff.files.some(({ from, to }) => from.kind === 'unsafe' || to.kind === 'unsafe'))
    return editFailed('cause=path')
  const refused = parts.find((file) => file.refusal !== null)
  if (refused) return editFailed(`cause=${refused.refusal}`)
  const targets = mergeByPath(parts)
  if (targets.length === 0) return editFailed('cause=no_hunks')
  const results = targets.map((target) => ({ target, result: applyPart(base, target, entryPoint) }))
  const applied = results.filter(({ result }) => result.ok)
  if (applied.length > 1) return editAmbiguous('cause=several_files_fit', `files=${applied.length}`)
  const chosen = applied[0] ?? results.find(({ target }) => !isTestPath(target.path)) ?? results[0]
  if (!chosen) return editFailed('cause=no_hunks')
  const extra = targets.length - 1
  const notes = ['format=diff', ...chosen.target.notes, ...chosen.result.notes]
  if (extra > 0) notes.push(`extra_file=${extra}`)
  return { ...chosen.result, notes }
}

type Target = { path: string; hunks: Hunk[]; creates: boolean; notes: string[] }

/** Several diffs of one file are one diff, as long as their hunks do not meet. */
function mergeByPath(files: readonly DiffFile[]): Target[] {
  const targets = new Map<string, Target>()
  const named = new Set(files.map(pathOf).filter((path) => path !== ''))
  const [onlyName] = named.size === 1 ? named : ['']
  for (const file of files) {
    const path = pathOf(file) || (onlyName ?? '')
    const known = targets.get(path)
    if (known) {
      known.hunks.push(...file.hunks)
      known.notes = ['merged_diffs']
    } else {
      const creates = file.from.kind === 'none' && file.to.kind === 'file'
      targets.set(path, { path, hunks: [...file.hunks], creates, notes: [] })
    }
  }
  return [...targets.values()]
}

function pathOf({ from, to }: DiffFile): string {
  if (to.kind === 'file') return to.path
  return from.kind === 'file' ? from.path : ''
}

/** A diff that creates the file holds the whole module as added lines. */
function applyPart(base: string, target: Target, entryPoint: string): EditResult {
  if (!target.creates) return applyHunks(base, target.hunks)
  const lines = target.hunks.flatMap((hunk) => hunk.lines)
  const module = lines.map(({ text }) => `${text}\n`).join('')
  const isWhole = lines.every(({ mark }) => mark === '+')
  if (isWhole && isPython(module) && definesName(module, entryPoint))
    return { ok: true, module, notes: ['whole_file_diff'] }
  return editFailed('cause=creates_other_file')
}

function isTestPath(path: string): boolean {
  return /(?:^|\/)(?:tests?|test_[^/]*|[^/]*_test\.py|conftest\.py)(?:\/|$)/.test(path)
}
