import { asc, eq } from 'drizzle-orm'
import type { Database } from './database.ts'
import { reports } from './schema.ts'

export type ReportRow = typeof reports.$inferSelect

/** The report, or undefined. */
export function findReport(db: Database, id: string): Promise<ReportRow | undefined> {
  return db.select().from(reports).where(eq(reports.id, id)).get()
}

/** The reports of an epoch in the order of submission; whether they are released is not known here. */
export function listReports(db: Database, epoch: string, limit: number): Promise<ReportRow[]> {
  return db
    .select()
    .from(reports)
    .where(eq(reports.epoch, epoch))
    .orderBy(asc(reports.submittedAt), asc(reports.id))
    .limit(limit)
    .all()
}
