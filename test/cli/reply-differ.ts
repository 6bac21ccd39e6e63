import { alignLines } from '../../src/cli/model/edit-align.ts'
import { splitLines } from '../../src/cli/model/reply-text.ts'

type DiffShape = { prefix: string; wrongCounts: boolean }

/** One hunk over the whole module, as a model that copies everything would write it. */
export function unifiedDiffOf(base: string, module: string, { prefix, wrongCounts }: DiffShape) {
  const before = splitLines(base)
  const after = splitLines(module)
  const kept = alignLines(before, after)
  const body: string[] = []
  let at = 0
  for (const [index, line] of after.entries()) {
    const from = kept[index] ?? -1
    if (from < 0) body.push(`+${line}`)
    else {
      while (at < from) body.push(`-${before[at++]}`)
      body.push(` ${line}`)
      at++
    }
  }
  while (at < before.length) body.push(`-${before[at++]}`)
  const counts = wrongCounts ? '-7,1 +9,2' : `-1,${before.length} +1,${after.length}`
  const names = `--- ${prefix}width.py\n+++ ${prefix.replace('a', 'b')}width.py\n`
  return `${names}@@ ${counts} @@\n${body.map((line) => `${line}\n`).join('')}`
}

export function searchReplaceOf(base: string, module: string): string {
  return `<<<<<<< SEARCH\n${base}=======\n${module}>>>>>>> REPLACE\n`
}
