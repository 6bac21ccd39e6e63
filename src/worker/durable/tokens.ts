import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../env.ts'

/** The request tokens that one key has used, kept until they have expired. One object a key. */
export class Tokens extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS spent (jti TEXT PRIMARY KEY, until INTEGER NOT NULL)',
    )
    ctx.storage.sql.exec('CREATE INDEX IF NOT EXISTS spent_until ON spent (until)')
  }

  /**
   * Spends a token id; false if it was spent before. `until` and `now` are seconds; `until` is the
   * last moment at which the token could be accepted, so that forgetting it afterwards is safe.
   */
  spend(jti: string, until: number, now: number): boolean {
    const { sql } = this.ctx.storage
    sql.exec('DELETE FROM spent WHERE until < ?', now)
    const known = sql.exec('SELECT 1 FROM spent WHERE jti = ?', jti).toArray()
    if (known.length > 0) return false
    sql.exec('INSERT INTO spent (jti, until) VALUES (?, ?)', jti, until)
    return true
  }
}
