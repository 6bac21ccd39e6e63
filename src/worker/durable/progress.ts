import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'

export type Marked = { done: number; complete: boolean }

/**
 * Counts the judged shards of one submission, each category once however often its message comes.
 * It only says when to close: the report is computed from the tally rows, never from this count.
 */
export class Progress extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS judged (category TEXT PRIMARY KEY)')
  }

  /** Marks a category as judged; a repeated mark answers the same, so a lost close can be queued again. */
  mark(category: string, total: number): Marked {
    const { sql } = this.ctx.storage
    sql.exec('INSERT OR IGNORE INTO judged (category) VALUES (?)', category)
    const done = this.done()
    return { done, complete: done >= total }
  }

  /** How many categories are judged. */
  done(): number {
    const { count } = this.ctx.storage.sql
      .exec<{ count: number }>('SELECT count(*) AS count FROM judged')
      .one()
    return count
  }
}
