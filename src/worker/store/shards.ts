import { and, eq, isNull } from 'drizzle-orm'
import type { Database } from './database.ts'
import { shards, tallies } from './schema.ts'

export type ShardRow = typeof shards.$inferSelect

/** One shard, or undefined. */
export function findShard(
  db: Database,
  submission: string,
  category: string,
): Promise<ShardRow | undefined> {
  return db
    .select()
    .from(shards)
    .where(and(eq(shards.submission, submission), eq(shards.category, category)))
    .get()
}

/** The shards of a submission that have no tally yet. */
export async function listUnjudged(db: Database, submission: string): Promise<ShardRow[]> {
  const rows = await db
    .select({ shard: shards })
    .from(shards)
    .leftJoin(
      tallies,
      and(eq(tallies.submission, shards.submission), eq(tallies.category, shards.category)),
    )
    .where(and(eq(shards.submission, submission), isNull(tallies.category)))
    .all()
  return rows.map((row) => row.shard)
}

/** Notes why a delivery of a shard led to no tally. */
export async function noteFault(
  db: Database,
  submission: string,
  category: string,
  fault: string,
): Promise<void> {
  await db
    .update(shards)
    .set({ fault })
    .where(and(eq(shards.submission, submission), eq(shards.category, category)))
}
