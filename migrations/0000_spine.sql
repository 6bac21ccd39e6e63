CREATE TABLE `dead_letters` (
	`id` text PRIMARY KEY NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `epoch_categories` (
	`epoch` text NOT NULL,
	`position` integer NOT NULL,
	`slug` text NOT NULL,
	`counters` text NOT NULL,
	`practice` text DEFAULT '[]' NOT NULL,
	PRIMARY KEY(`epoch`, `position`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `epoch_categories_slug` ON `epoch_categories` (`epoch`,`slug`);--> statement-breakpoint
CREATE TABLE `epochs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`title` text NOT NULL,
	`opens_at` integer NOT NULL,
	`closes_at` integer NOT NULL,
	`card` text NOT NULL,
	`card_sha256` text NOT NULL,
	`categories` integer NOT NULL,
	`tasks` integer NOT NULL,
	`prompts_stored_at` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`organisation` text NOT NULL,
	`jwk` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`organisation`) REFERENCES `organisations`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `keys_organisation` ON `keys` (`organisation`);--> statement-breakpoint
CREATE TABLE `organisations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `reports` (
	`id` text PRIMARY KEY NOT NULL,
	`submission` text NOT NULL,
	`organisation` text NOT NULL,
	`epoch` text NOT NULL,
	`sha256` text NOT NULL,
	`model` text NOT NULL,
	`organisation_name` text,
	`fixed` text,
	`submitted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `reports_submission_unique` ON `reports` (`submission`);--> statement-breakpoint
CREATE INDEX `reports_epoch` ON `reports` (`epoch`,`submitted_at`);--> statement-breakpoint
CREATE TABLE `shards` (
	`submission` text NOT NULL,
	`category` text NOT NULL,
	`sha256` text NOT NULL,
	`offset` integer NOT NULL,
	`bytes` integer NOT NULL,
	`fault` text,
	PRIMARY KEY(`submission`, `category`)
);
--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` text PRIMARY KEY NOT NULL,
	`organisation` text NOT NULL,
	`key` text NOT NULL,
	`epoch` text NOT NULL,
	`part` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`manifest` text NOT NULL,
	`jti` text NOT NULL,
	`patches_sha256` text NOT NULL,
	`patches_bytes` integer NOT NULL,
	`patches_count` integer NOT NULL,
	`shards_total` integer NOT NULL,
	`upload` text,
	`created_at` integer NOT NULL,
	`received_at` integer,
	`progressed_at` integer,
	`touched_at` integer NOT NULL,
	`sweeps` integer DEFAULT 0 NOT NULL,
	`finished_at` integer,
	`report` text,
	`practice_scores` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `submissions_jti` ON `submissions` (`key`,`jti`);--> statement-breakpoint
CREATE INDEX `submissions_organisation` ON `submissions` (`organisation`,`created_at`);--> statement-breakpoint
CREATE INDEX `submissions_epoch` ON `submissions` (`epoch`,`organisation`);--> statement-breakpoint
CREATE INDEX `submissions_state` ON `submissions` (`state`,`touched_at`);--> statement-breakpoint
CREATE TABLE `tallies` (
	`submission` text NOT NULL,
	`category` text NOT NULL,
	`tally` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`submission`, `category`)
);
--> statement-breakpoint
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`submission` text NOT NULL,
	`started_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `uploads_started` ON `uploads` (`started_at`);