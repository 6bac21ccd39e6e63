/** `2026-11-30T12:00:00Z` as `30 November 2026, 12:00 UTC`, machine-readable. */
export function Moment({ at }: { at: string }) {
  const date = new Date(at)
  const day = date.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return (
    <time datetime={at}>
      {day}, {at.slice(11, 16)} UTC
    </time>
  )
}
