import { and, asc, count, eq, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { submissions, tallies } from './schema.ts'

export type TallyRow = typeof tallies.$inferSelect

/**
 * Stores a tally unless the shard has one, and notes the progress of its submission; answers the
 * tally that is stored now.
 */
export async function insertTally(db: Database, row: TallyRow): Promise<TallyRow> {
  const [, , stored] = await db.batch([
    db.insert(tallies).values(row).onConflictDoNothing(),
    db
      .update(submissions)
      .set({ progressedAt: row.createdAt, touchedAt: row.createdAt, sweeps: 0 })
      .where(eq(submissions.id, row.submission)),
    db
      .select()
      .from(tallies)
      .where(and(eq(tallies.submission, row.submission), eq(tallies.category, row.category))),
  ])
  return stored[0] ?? row
}

/** True when the shard is judged. */
export async function hasTally(
  db: Database,
  submission: string,
  category: string,
): Promise<boolean> {
  const found = await db
    .select({ category: tallies.category })
    .from(tallies)
    .where(and(eq(tallies.submission, submission), eq(tallies.category, category)))
    .get()
  return found !== undefined
}

/** All tallies of a submission, by category. */
export function listTallies(db: Database, submission: string): Promise<TallyRow[]> {
  return db
    .select()
    .from(tallies)
    .where(eq(tallies.submission, submission))
    .orderBy(asc(tallies.category))
    .all()
}

/** How many shards of a submission are judged. */
export async function countTallies(db: Database, submission: string): Promise<number> {
  const row = await db
    .select({ done: count() })
    .from(tallies)
    .where(eq(tallies.submission, submission))
    .get()
  return row?.done ?? 0
}

/** How many shards of each of several submissions are judged; the ids travel in one bound JSON text. */
export async function countTalliesOf(
  db: Database,
  submissions: string[],
): Promise<Map<string, number>> {
  const rows = await db
    .select({ submission: tallies.submission, done: count() })
    .from(tallies)
    .where(
      sql`${tallies.submission} IN (SELECT value FROM json_each(${JSON.stringify(submissions)}))`,
    )
    .groupBy(tallies.submission)
    .all()
  return new Map(rows.map(({ submission, done }) => [submission, done]))
}
