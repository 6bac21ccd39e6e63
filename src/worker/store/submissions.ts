import { and, count, desc, eq, inArray, lt, or, sql } from 'drizzle-orm'
import type { EndReason } from '../../protocol/submission.ts'
import type { Database } from './database.ts'
import { reports, shards, submissions } from './schema.ts'

export type SubmissionRow = typeof submissions.$inferSelect
export type SubmissionState = SubmissionRow['state']

/** Writes a submission unless it exists; answers the rows of its id or of its manifest's jti. */
export async function insertSubmission(
  db: Database,
  row: SubmissionRow,
): Promise<SubmissionRow | undefined> {
  const [, stored] = await db.batch([
    db.insert(submissions).values(row).onConflictDoNothing(),
    db
      .select()
      .from(submissions)
      .where(
        or(
          eq(submissions.id, row.id),
          and(eq(submissions.key, row.key), eq(submissions.jti, row.jti)),
        ),
      ),
  ])
  return stored.find((one) => one.id === row.id) ?? stored[0]
}

/** The submission, whoever owns it, or undefined. For stages; routes ask for an owned one. */
export function findSubmission(db: Database, id: string): Promise<SubmissionRow | undefined> {
  return db.select().from(submissions).where(eq(submissions.id, id)).get()
}

/** The submission if it belongs to the organisation; else undefined, as if it did not exist. */
export function findOwned(
  db: Database,
  organisation: string,
  id: string,
): Promise<SubmissionRow | undefined> {
  return db
    .select()
    .from(submissions)
    .where(and(eq(submissions.id, id), eq(submissions.organisation, organisation)))
    .get()
}

/** The submissions of an organisation, the newest first. */
export function listOwned(
  db: Database,
  organisation: string,
  limit: number,
): Promise<SubmissionRow[]> {
  return db
    .select()
    .from(submissions)
    .where(eq(submissions.organisation, organisation))
    .orderBy(desc(submissions.createdAt), desc(submissions.id))
    .limit(limit)
    .all()
}

export type ReceivedShard = { category: string; sha256: string; offset: number; bytes: number }

/**
 * Takes a finished upload as the patches of an open submission. Of several uploads one wins; the
 * answered row names it. The shards travel in one bound JSON text, since D1 binds at most 100 values.
 */
export async function receivePatches(
  db: Database,
  id: string,
  upload: string,
  received: ReceivedShard[],
  now: number,
): Promise<SubmissionRow | undefined> {
  const [, , stored] = await db.batch([
    db
      .update(submissions)
      .set({ state: 'received', upload, receivedAt: now, progressedAt: now, touchedAt: now })
      .where(and(eq(submissions.id, id), eq(submissions.state, 'open'))),
    db
      .insert(shards)
      .select(
        sql`SELECT ${id}, value ->> 'category', value ->> 'sha256', value ->> 'offset',
            value ->> 'bytes', NULL
          FROM json_each(${JSON.stringify(received)})
          WHERE EXISTS (
            SELECT 1 FROM ${submissions}
            WHERE ${submissions.id} = ${id} AND ${submissions.upload} = ${upload}
          )`,
      )
      .onConflictDoNothing(),
    db.select().from(submissions).where(eq(submissions.id, id)),
  ])
  return stored[0]
}

/** All messages of a received submission are queued. */
export async function markJudging(db: Database, id: string, now: number): Promise<void> {
  await db
    .update(submissions)
    .set({ state: 'judging', touchedAt: now })
    .where(and(eq(submissions.id, id), eq(submissions.state, 'received')))
}

/** A sign of life: work goes on, or waits for a sandbox. A moment to come promises one by then. */
export async function touch(db: Database, id: string, now: number): Promise<void> {
  await db.update(submissions).set({ touchedAt: now }).where(eq(submissions.id, id))
}

/** The messages of a silent submission were queued once more; the next sweep is more patient. */
export async function markSwept(
  db: Database,
  id: string,
  sweeps: number,
  now: number,
): Promise<void> {
  await db
    .update(submissions)
    .set({ state: 'judging', sweeps, touchedAt: now })
    .where(and(eq(submissions.id, id), inArray(submissions.state, ['received', 'judging'])))
}

/** Cancels a submission whose patches have not come; answers the row as it is now. */
export async function cancelOpen(
  db: Database,
  id: string,
  reason: EndReason,
  now: number,
): Promise<SubmissionRow | undefined> {
  const [, stored] = await db.batch([
    db
      .update(submissions)
      .set({ state: 'cancelled', reason, finishedAt: now, touchedAt: now })
      .where(and(eq(submissions.id, id), eq(submissions.state, 'open'))),
    db.select().from(submissions).where(eq(submissions.id, id)),
  ])
  return stored[0]
}

/** Ends a submission without a score; answers the row as it is now (it may have been scored meanwhile). */
export async function markIncomplete(
  db: Database,
  id: string,
  reason: EndReason,
  now: number,
): Promise<SubmissionRow | undefined> {
  const [, stored] = await db.batch([
    db
      .update(submissions)
      .set({ state: 'incomplete', reason, finishedAt: now, touchedAt: now })
      .where(and(eq(submissions.id, id), inArray(submissions.state, ['received', 'judging']))),
    db.select().from(submissions).where(eq(submissions.id, id)),
  ])
  return stored[0]
}

/** Stores the report row and the end of the submission together; twice is once. */
export async function markScored(
  db: Database,
  report: typeof reports.$inferInsert,
  now: number,
): Promise<SubmissionRow | undefined> {
  const [, , stored] = await db.batch([
    db.insert(reports).values(report).onConflictDoNothing(),
    db
      .update(submissions)
      .set({ state: 'scored', report: report.id, finishedAt: now, touchedAt: now })
      .where(
        and(
          eq(submissions.id, report.submission),
          inArray(submissions.state, ['received', 'judging']),
        ),
      ),
    db.select().from(submissions).where(eq(submissions.id, report.submission)),
  ])
  return stored[0]
}

/** Ends a practice run with its scores; twice is once. */
export async function markPracticed(
  db: Database,
  id: string,
  scores: string,
  now: number,
): Promise<void> {
  await db
    .update(submissions)
    .set({ state: 'scored', practiceScores: scores, finishedAt: now, touchedAt: now })
    .where(and(eq(submissions.id, id), inArray(submissions.state, ['received', 'judging'])))
}

/** Submissions that an organisation has in an epoch, by part; those that cost nothing are left out. */
export async function countUsage(
  db: Database,
  organisation: string,
  epoch: string,
): Promise<{ practice: number; sealed: number }> {
  const rows = await db
    .select({ part: submissions.part, used: count() })
    .from(submissions)
    .where(
      and(
        eq(submissions.epoch, epoch),
        eq(submissions.organisation, organisation),
        inArray(submissions.state, ['open', 'received', 'judging', 'scored']),
      ),
    )
    .groupBy(submissions.part)
    .all()
  const used = (part: 'practice' | 'sealed') => rows.find((row) => row.part === part)?.used ?? 0
  return { practice: used('practice'), sealed: used('sealed') }
}

/**
 * Submissions in work that were silent for `patienceMilliseconds`, doubled by each fruitless sweep;
 * the longest silent first.
 */
export function listSilent(
  db: Database,
  patienceMilliseconds: number,
  now: number,
  limit: number,
): Promise<SubmissionRow[]> {
  return db
    .select()
    .from(submissions)
    .where(
      and(
        inArray(submissions.state, ['received', 'judging']),
        sql`${submissions.touchedAt} + ${patienceMilliseconds} * (1 << ${submissions.sweeps}) < ${now}`,
      ),
    )
    .orderBy(submissions.touchedAt)
    .limit(limit)
    .all()
}

/** Open submissions from before `createdBefore`: their patches never came. */
export function listStaleOpen(
  db: Database,
  createdBefore: number,
  limit: number,
): Promise<SubmissionRow[]> {
  return db
    .select()
    .from(submissions)
    .where(and(eq(submissions.state, 'open'), lt(submissions.createdAt, createdBefore)))
    .limit(limit)
    .all()
}
