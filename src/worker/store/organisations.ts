import { eq } from 'drizzle-orm'
import type { Database } from './database.ts'
import { organisations } from './schema.ts'

export type Organisation = typeof organisations.$inferSelect

/** Writes an organisation; twice is once. */
export async function insertOrganisation(db: Database, row: Organisation): Promise<void> {
  await db.insert(organisations).values(row).onConflictDoNothing()
}

/** The organisation, or undefined. */
export function findOrganisation(db: Database, id: string): Promise<Organisation | undefined> {
  return db.select().from(organisations).where(eq(organisations.id, id)).get()
}
