import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Database } from './database.ts'
import { epochCategories, epochs } from './schema.ts'

export type EpochRow = typeof epochs.$inferSelect
export type EpochCategoryRow = typeof epochCategories.$inferSelect
export type DrawnCategory = { slug: string; counters: number[] }

/** The epoch, or undefined. */
export function findEpoch(db: Database, id: string): Promise<EpochRow | undefined> {
  return db.select().from(epochs).where(eq(epochs.id, id)).get()
}

/** All epochs, the newest first. */
export function listEpochs(db: Database): Promise<EpochRow[]> {
  return db.select().from(epochs).orderBy(desc(epochs.opensAt), asc(epochs.id)).all()
}

/** The categories of an epoch in canonical order. */
export function listCategories(db: Database, epoch: string): Promise<EpochCategoryRow[]> {
  return db
    .select()
    .from(epochCategories)
    .where(eq(epochCategories.epoch, epoch))
    .orderBy(asc(epochCategories.position))
    .all()
}

/** One category of an epoch, or undefined. */
export function findCategory(
  db: Database,
  epoch: string,
  slug: string,
): Promise<EpochCategoryRow | undefined> {
  return db
    .select()
    .from(epochCategories)
    .where(and(eq(epochCategories.epoch, epoch), eq(epochCategories.slug, slug)))
    .get()
}

/**
 * Writes an epoch with its categories in one batch unless the id is taken; answers the row that is
 * stored now and whether it is new. All categories travel in one bound JSON text, since D1 binds at most 100 values.
 */
export async function insertEpoch(
  db: Database,
  row: EpochRow,
  categories: DrawnCategory[],
): Promise<{ stored: EpochRow | undefined; created: boolean }> {
  const drawn = JSON.stringify(categories.map((one, position) => ({ ...one, position })))
  const [inserted, , stored] = await db.batch([
    db.insert(epochs).values(row).onConflictDoNothing().returning({ id: epochs.id }),
    db
      .insert(epochCategories)
      .select(
        sql`SELECT ${row.id}, value ->> 'position', value ->> 'slug', value -> 'counters', '[]'
          FROM json_each(${drawn})
          WHERE EXISTS (
            SELECT 1 FROM ${epochs}
            WHERE ${epochs.id} = ${row.id} AND ${epochs.cardSha256} = ${row.cardSha256}
          )`,
      )
      .onConflictDoNothing(),
    db.select().from(epochs).where(eq(epochs.id, row.id)),
  ])
  return { stored: stored[0], created: inserted.length > 0 }
}

/** Numbers of the practice tasks of each category. */
export type PracticeNumbers = Record<string, number[]>

/** Says that the prompts of an epoch are stored, and which of their tasks are practice. */
export async function markPromptsStored(
  db: Database,
  id: string,
  practice: PracticeNumbers,
  now: number,
): Promise<void> {
  await db.batch([
    db
      .update(epochCategories)
      .set({
        practice: sql`(
          SELECT one.value FROM json_each(${JSON.stringify(practice)}) AS one
          WHERE one.key = ${epochCategories.slug}
        )`,
      })
      .where(eq(epochCategories.epoch, id)),
    db
      .update(epochs)
      .set({ promptsStoredAt: now })
      .where(and(eq(epochs.id, id), isNull(epochs.promptsStoredAt))),
  ])
}
