import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

// Times are milliseconds since 1970. docs/storage.md says what each table is for and how long rows live.

export const organisations = sqliteTable('organisations', {
  id: text().primaryKey(),
  name: text(),
  createdAt: integer('created_at').notNull(),
})

export const keys = sqliteTable(
  'keys',
  {
    id: text().primaryKey(),
    organisation: text()
      .notNull()
      .references(() => organisations.id),
    /** Public JWK as canonical JSON. */
    jwk: text().notNull(),
    createdAt: integer('created_at').notNull(),
    revokedAt: integer('revoked_at'),
  },
  (table) => [index('keys_organisation').on(table.organisation)],
)

export const epochs = sqliteTable('epochs', {
  id: text().primaryKey(),
  kind: text({ enum: ['open', 'live', 'room'] }).notNull(),
  title: text().notNull(),
  opensAt: integer('opens_at').notNull(),
  closesAt: integer('closes_at').notNull(),
  /** The epoch card as canonical JSON: what every reader is shown, byte for byte. */
  card: text().notNull(),
  cardSha256: text('card_sha256').notNull(),
  /** How many categories, and tasks in all of them. */
  categories: integer().notNull(),
  tasks: integer().notNull(),
  /** Null until the prompts are stored: an epoch without prompts takes no submission. */
  promptsStoredAt: integer('prompts_stored_at'),
  createdAt: integer('created_at').notNull(),
})

/** The categories of an epoch in the order of the prompts, with the drawing of their tasks. */
export const epochCategories = sqliteTable(
  'epoch_categories',
  {
    epoch: text().notNull(),
    position: integer().notNull(),
    slug: text().notNull(),
    /** JSON list: drawing counter of task number i + 1. */
    counters: text().notNull(),
    /** JSON list of the numbers of the practice tasks; known when the prompts are stored. */
    practice: text().notNull().default('[]'),
  },
  (table) => [
    primaryKey({ columns: [table.epoch, table.position] }),
    uniqueIndex('epoch_categories_slug').on(table.epoch, table.slug),
  ],
)

export const submissions = sqliteTable(
  'submissions',
  {
    id: text().primaryKey(),
    organisation: text().notNull(),
    key: text().notNull(),
    epoch: text().notNull(),
    part: text({ enum: ['practice', 'sealed'] }).notNull(),
    state: text({
      enum: ['open', 'received', 'judging', 'scored', 'incomplete', 'cancelled'],
    }).notNull(),
    reason: text({
      enum: [
        'sandbox_failed',
        'controls_failed',
        'versions_differ',
        'upload_abandoned',
        'withdrawn',
      ],
    }),
    /** The manifest exactly as it was signed: a compact JWS. */
    manifest: text().notNull(),
    jti: text().notNull(),
    patchesSha256: text('patches_sha256').notNull(),
    patchesBytes: integer('patches_bytes').notNull(),
    patchesCount: integer('patches_count').notNull(),
    shardsTotal: integer('shards_total').notNull(),
    /** The upload that won; decides which blob the shards are ranges of. */
    upload: text(),
    createdAt: integer('created_at').notNull(),
    receivedAt: integer('received_at'),
    /** Last new tally (or the upload): a submission that stands still too long is given up. */
    progressedAt: integer('progressed_at'),
    /** Last sign of life, waiting included: silence means that messages were lost. */
    touchedAt: integer('touched_at').notNull(),
    /** Sweeps since the last progress; each doubles the patience. */
    sweeps: integer().notNull().default(0),
    finishedAt: integer('finished_at'),
    report: text(),
    /** Scores of a practice run on their grid, as JSON; a practice run has no report. */
    practiceScores: text('practice_scores'),
  },
  (table) => [
    uniqueIndex('submissions_jti').on(table.key, table.jti),
    index('submissions_organisation').on(table.organisation, table.createdAt),
    index('submissions_epoch').on(table.epoch, table.organisation),
    index('submissions_state').on(table.state, table.touchedAt),
  ],
)

/** Every upload that was begun: what the sweep deletes when nobody finished it. */
export const uploads = sqliteTable(
  'uploads',
  {
    id: text().primaryKey(),
    submission: text().notNull(),
    startedAt: integer('started_at').notNull(),
  },
  (table) => [index('uploads_started').on(table.startedAt)],
)

/** One category of a submission: a range of the uploaded blob, and its digest. */
export const shards = sqliteTable(
  'shards',
  {
    submission: text().notNull(),
    category: text().notNull(),
    sha256: text().notNull(),
    offset: integer().notNull(),
    bytes: integer().notNull(),
    /** Kind of the last fault of ours, if there was one; decides the reason when deliveries run out. */
    fault: text(),
  },
  (table) => [primaryKey({ columns: [table.submission, table.category] })],
)

/** What the sandbox counted, once a shard. The first tally stays; a second one changes nothing. */
export const tallies = sqliteTable(
  'tallies',
  {
    submission: text().notNull(),
    category: text().notNull(),
    tally: text().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.submission, table.category] })],
)

export const reports = sqliteTable(
  'reports',
  {
    id: text().primaryKey(),
    submission: text().notNull().unique(),
    organisation: text().notNull(),
    epoch: text().notNull(),
    /** Digest of the compact JWS; names the blob. */
    sha256: text().notNull(),
    /** One line of a list: model and organisation as named, the overall rate as JSON or null. */
    model: text().notNull(),
    organisationName: text('organisation_name'),
    fixed: text(),
    submittedAt: integer('submitted_at').notNull(),
  },
  (table) => [index('reports_epoch').on(table.epoch, table.submittedAt)],
)

/** Messages that used up their deliveries. Ids and slugs only, as in every message. */
export const deadLetters = sqliteTable('dead_letters', {
  id: text().primaryKey(),
  body: text().notNull(),
  createdAt: integer('created_at').notNull(),
})
