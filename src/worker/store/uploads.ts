import { and, eq, isNull, lt, ne, notInArray, or } from 'drizzle-orm'
import type { Database } from './database.ts'
import { submissions, uploads } from './schema.ts'

export type UploadRow = typeof uploads.$inferSelect

/** Notes that an upload has begun, before its first byte is stored. */
export async function insertUpload(db: Database, row: UploadRow): Promise<void> {
  await db.insert(uploads).values(row).onConflictDoNothing()
}

/** Forgets an upload whose blob is gone. */
export async function deleteUpload(db: Database, id: string): Promise<void> {
  await db.delete(uploads).where(eq(uploads.id, id))
}

/** Uploads begun before `before` that no submission uses: broken off, or beaten by another one. */
export function listStrayUploads(
  db: Database,
  before: number,
  limit: number,
): Promise<UploadRow[]> {
  return db
    .select({ id: uploads.id, submission: uploads.submission, startedAt: uploads.startedAt })
    .from(uploads)
    .leftJoin(submissions, eq(submissions.id, uploads.submission))
    .where(
      and(
        lt(uploads.startedAt, before),
        or(isNull(submissions.upload), ne(submissions.upload, uploads.id)),
      ),
    )
    .limit(limit)
    .all()
}

/** Uploads whose submission ended before `before`: their patches have served. */
export function listServedUploads(
  db: Database,
  before: number,
  limit: number,
): Promise<UploadRow[]> {
  return db
    .select({ id: uploads.id, submission: uploads.submission, startedAt: uploads.startedAt })
    .from(uploads)
    .innerJoin(submissions, eq(submissions.id, uploads.submission))
    .where(
      and(
        lt(submissions.finishedAt, before),
        notInArray(submissions.state, ['open', 'received', 'judging']),
      ),
    )
    .limit(limit)
    .all()
}
