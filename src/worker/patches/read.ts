import { createHash, type Hash } from 'node:crypto'
import { LIMITS } from '../../protocol/limits.ts'
import { patchSchema } from '../../protocol/patch.ts'
import type { Fault } from '../../protocol/problem.ts'
import { readShape } from '../../protocol/shape.ts'
import { splitLines } from '../body.ts'
import type { TaskOrder } from './order.ts'

/** The lines of one category: a range of the stream, and the digest of that range. */
export type ShardRange = { category: string; sha256: string; offset: number; bytes: number }

export type PatchesRead = {
  sha256: string
  bytes: number
  count: number
  /** Where the lines are not one per task in order, the first ones; empty when all is well. */
  faults: Fault[]
  /** One range per category, in order. Meaningful only without faults. */
  shards: ShardRange[]
}

/**
 * Reads the patches of a submission from a stream: digests them, checks that they are one line per
 * task in the order of the prompts, and finds the range of each category. Holds one line at a time;
 * `keep` gets the bytes as they come. When the list of faults is full the rest is only digested: tens
 * of millions of tiny lines fit into the cap, and would take minutes to be read one by one.
 */
export async function readPatches(
  chunks: AsyncIterable<Uint8Array>,
  order: TaskOrder,
  keep: (bytes: Uint8Array) => Promise<void>,
): Promise<PatchesRead> {
  const whole = createHash('sha256')
  const lines = new LineCheck(order)
  const ranges = new RangeCount(order)
  let bytes = 0

  const source = chunks[Symbol.asyncIterator]()

  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await source.next()
    if (done === true) return undefined
    whole.update(value)
    bytes += value.byteLength
    return value
  }

  async function* kept() {
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
      await keep(chunk)
      yield chunk
    }
  }

  try {
    for await (const line of splitLines(kept(), LIMITS.patchLineBytes)) {
      ranges.add(line, lines.check(line))
      if (lines.isFull) break
    }
    while ((await next()) !== undefined);
  } finally {
    await source.return?.()
  }
  const shards = ranges.end()
  return { sha256: whole.digest('hex'), bytes, count: lines.count, faults: lines.end(), shards }
}

/** Checks line after line against the order of the tasks. */
class LineCheck {
  count = 0
  private readonly order: TaskOrder
  private readonly seen: Uint8Array
  private readonly faults: Fault[] = []
  private next = 0

  constructor(order: TaskOrder) {
    this.order = order
    this.seen = new Uint8Array(order.total)
  }

  /** Position of the line's task, or undefined when the line cannot stand where it is. */
  check(line: Uint8Array): number | undefined {
    this.count += 1
    const patch = readShape(line, patchSchema)
    if (!patch.ok) {
      const [first] = patch.error.errors ?? []
      const place = first?.pointer ? `${first.pointer} ` : ''
      return this.fault(first ? `${place}${first.detail}` : (patch.error.detail ?? ''))
    }
    const position = this.order.position(patch.value.instance_id)
    if (position === undefined) return this.fault('no task of this epoch')
    if (this.seen[position] === 1) return this.fault('this task has a line already')
    this.seen[position] = 1
    if (position < this.next) return this.fault('not in the order of the prompts')
    this.next = position + 1
    return position
  }

  /** No further fault would be listed. */
  get isFull(): boolean {
    return this.faults.length >= LIMITS.listedFaults - 1
  }

  /** All faults, missing tasks last. */
  end(): Fault[] {
    // Lines that were not read may hold the tasks that seem to be missing.
    if (this.isFull) return this.faults
    const missing = this.seen.reduce((sum, mark) => sum + (mark === 0 ? 1 : 0), 0)
    if (missing === 0) return this.faults
    const first = this.order.at(this.seen.indexOf(0))
    return [
      ...this.faults,
      { pointer: 'end', detail: `${missing} tasks have no line, the first is ${first}` },
    ]
  }

  private fault(detail: string): undefined {
    this.faults.push({ pointer: `line ${this.count}`, detail })
    return undefined
  }
}

/** Finds where the lines of each category begin and end. */
class RangeCount {
  private readonly order: TaskOrder
  private readonly ranges: ShardRange[] = []
  private row = -1
  private offset = 0
  private start = 0
  private digest: Hash = createHash('sha256')

  constructor(order: TaskOrder) {
    this.order = order
  }

  add(line: Uint8Array, position: number | undefined): void {
    const row = position === undefined ? this.row : this.rowOf(position)
    if (row !== this.row) {
      this.close()
      this.row = row
      this.start = this.offset
      this.digest = createHash('sha256')
    }
    this.digest.update(line)
    this.offset += line.byteLength
  }

  end(): ShardRange[] {
    this.close()
    return this.ranges
  }

  private rowOf(position: number): number {
    return Math.floor(position / this.order.tasksPerCategory)
  }

  private close(): void {
    const category = this.order.categories[this.row]
    if (category === undefined) return
    const bytes = this.offset - this.start
    const sha256 = this.digest.digest('hex')
    this.ranges.push({ category, sha256, offset: this.start, bytes })
  }
}
