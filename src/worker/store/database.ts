import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import { type Pause, resilient } from './resilient.ts'

export type Database = DrizzleD1Database

/** The database that the query files work on, with lost calls repeated. */
export function openDatabase(binding: D1Database, pause: Pause): Database {
  return drizzle(resilient(binding, pause))
}
