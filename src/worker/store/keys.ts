import { and, eq, isNull } from 'drizzle-orm'
import type { KeyLife } from '../../protocol/lifetime.ts'
import type { Database } from './database.ts'
import { keys } from './schema.ts'

export type KeyRow = typeof keys.$inferSelect

/** When the key became known and when it stopped counting, in seconds. */
export const lifeOf = (row: Pick<KeyRow, 'createdAt' | 'revokedAt'>): KeyLife => ({
  registeredAt: Math.floor(row.createdAt / 1000),
  revokedAt: row.revokedAt === null ? null : Math.floor(row.revokedAt / 1000),
})

/** Writes a key and answers the row that is stored now: this one, or an older one of the same id. */
export async function insertKey(db: Database, row: KeyRow): Promise<KeyRow> {
  const [, stored] = await db.batch([
    db.insert(keys).values(row).onConflictDoNothing(),
    db.select().from(keys).where(eq(keys.id, row.id)),
  ])
  return stored[0] ?? row
}

/** The key, revoked or not, or undefined. */
export function findKey(db: Database, id: string): Promise<KeyRow | undefined> {
  return db.select().from(keys).where(eq(keys.id, id)).get()
}

/** Revokes a key of the organisation; the first moment of revocation stays. */
export async function revokeKey(
  db: Database,
  organisation: string,
  id: string,
  now: number,
): Promise<KeyRow | undefined> {
  const [, stored] = await db.batch([
    db
      .update(keys)
      .set({ revokedAt: now })
      .where(and(eq(keys.id, id), eq(keys.organisation, organisation), isNull(keys.revokedAt))),
    db
      .select()
      .from(keys)
      .where(and(eq(keys.id, id), eq(keys.organisation, organisation))),
  ])
  return stored[0]
}
