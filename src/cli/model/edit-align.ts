/** Above this product of lengths only the common edges are aligned. */
const MAX_CELLS = 4_000_000

/**
 * For each line of `after`, the index of the line of `before` that it keeps, or -1 for a new
 * line: a longest common subsequence.
 */
export function alignLines(before: readonly string[], after: readonly string[]): number[] {
  const kept: number[] = after.map(() => -1)
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head])
    kept[head] = head++
  let tail = 0
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  ) {
    kept[after.length - 1 - tail] = before.length - 1 - tail
    tail++
  }
  const left = before.slice(head, before.length - tail)
  const right = after.slice(head, after.length - tail)
  if (left.length * right.length > MAX_CELLS) return kept
  for (const [from, to] of commonSubsequence(left, right)) kept[head + to] = head + from
  return kept
}

function commonSubsequence(left: readonly string[], right: readonly string[]): [number, number][] {
  const width = right.length + 1
  const best = new Uint32Array((left.length + 1) * width)
  const at = (row: number, column: number) => best[row * width + column] ?? 0
  for (let row = left.length - 1; row >= 0; row--)
    for (let column = right.length - 1; column >= 0; column--)
      best[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
  const pairs: [number, number][] = []
  for (let row = 0, column = 0; row < left.length && column < right.length; ) {
    if (left[row] === right[column]) pairs.push([row++, column++])
    else if (at(row + 1, column) >= at(row, column + 1)) row++
    else column++
  }
  return pairs
}
