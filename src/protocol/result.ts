/** An outcome that is a value: a refusal travels as data, only a bug throws. */
export type Result<T, E> = { ok: true; value: T } | { ok: false; error: E }

/** The good outcome. */
export const ok = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })

/** The refused outcome. */
export const err = <E>(error: E): { ok: false; error: E } => ({ ok: false, error })
