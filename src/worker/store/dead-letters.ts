import type { Database } from './database.ts'
import { deadLetters } from './schema.ts'

export type DeadLetterRow = typeof deadLetters.$inferSelect

/** Keeps a message that nobody will deliver again; twice is once. */
export async function insertDeadLetter(db: Database, row: DeadLetterRow): Promise<void> {
  await db.insert(deadLetters).values(row).onConflictDoNothing()
}
