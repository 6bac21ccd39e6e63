import type { z } from 'zod'
import { readJson } from './json.ts'
import { faultsOf, type Refusal } from './problem.ts'
import { err, ok, type Result } from './result.ts'

/**
 * Reads bytes as strict JSON and then as a shape. The refusals name places, never values:
 * `json-invalid` for bytes that are not strict JSON, `body-invalid` for another shape.
 */
export function readShape<T>(
  source: string | Uint8Array,
  schema: z.ZodType<T>,
): Result<T, Refusal> {
  const json = readJson(source)
  if (!json.ok) {
    const { reason, offset } = json.error
    return err({ slug: 'json-invalid', detail: `${reason} at character ${offset}` })
  }
  return checkShape(json.value, schema)
}

/** Checks a value that was read as strict JSON already. */
export function checkShape<T>(value: unknown, schema: z.ZodType<T>): Result<T, Refusal> {
  const parsed = schema.safeParse(value)
  return parsed.success
    ? ok(parsed.data)
    : err({ slug: 'body-invalid', errors: faultsOf(parsed.error) })
}
