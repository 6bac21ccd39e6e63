import { z } from 'zod'

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

/** A moment as `YYYY-MM-DDTHH:MM:SSZ`: one spelling, so that equal moments have equal bytes. */
export const instantSchema = z
  .string()
  .regex(INSTANT, 'must look like 2026-01-31T12:00:00Z')
  .refine((text) => formatInstantOrNull(Date.parse(text)) === text, 'is not a real moment')

/** The last second that an instant can write: the end of the year 9999. */
const LAST_SECOND = 253_402_300_799

/** Seconds since 1970, as far as instants go. */
export const secondsSchema = z.int().min(0).max(LAST_SECOND)

/** Seconds since 1970 as an instant. */
export const toInstant = (seconds: number): string =>
  new Date(Math.floor(seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z')

/** Seconds since 1970 of an instant that `instantSchema` accepted. */
export const toSeconds = (instant: string): number => Date.parse(instant) / 1000

// Date accepts 31 February by rolling over, so only a round trip proves the moment real.
const formatInstantOrNull = (milliseconds: number): string | null =>
  Number.isNaN(milliseconds) ? null : toInstant(milliseconds / 1000)
