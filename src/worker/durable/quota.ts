import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'

export type Granted = { granted: boolean; used: number }

/** The submissions that one organisation may still make in one epoch; all its keys share the budget. */
export class Quota extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.storage.sql.exec('CREATE TABLE IF NOT EXISTS taken (submission TEXT PRIMARY KEY)')
  }

  /** Takes one place for a submission, or says that all `limit` places are taken. Twice is once. */
  take(submission: string, limit: number): Granted {
    const { sql } = this.ctx.storage
    sql.exec(
      'INSERT OR IGNORE INTO taken (submission) SELECT ?1 WHERE (SELECT count(*) FROM taken) < ?2',
      submission,
      limit,
    )
    const held = sql.exec('SELECT 1 FROM taken WHERE submission = ?', submission).toArray()
    return { granted: held.length === 1, used: this.used() }
  }

  /** Gives the place back: cancelled before its patches came, or incomplete by a fault of ours. */
  giveBack(submission: string): void {
    this.ctx.storage.sql.exec('DELETE FROM taken WHERE submission = ?', submission)
  }

  /** How many places are taken. */
  used(): number {
    const { count } = this.ctx.storage.sql
      .exec<{ count: number }>('SELECT count(*) AS count FROM taken')
      .one()
    return count
  }
}
