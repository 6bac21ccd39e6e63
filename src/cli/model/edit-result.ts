/** What came of an edit. All or nothing: a failure leaves no text behind. */
export type EditResult =
  | { ok: true; module: string; notes: string[] }
  | { ok: false; status: 'apply_failed' | 'ambiguous' | 'truncated'; notes: string[] }

export function editFailed(...notes: string[]): EditResult {
  return { ok: false, status: 'apply_failed', notes }
}

export function editAmbiguous(...notes: string[]): EditResult {
  return { ok: false, status: 'ambiguous', notes }
}
