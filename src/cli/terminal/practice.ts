import { findDomain } from '../../protocol/map.ts'
import type { SubmissionView } from '../../protocol/submission.ts'

/** What a practice run shows: points on a coarse grid, never to be cited. */
export function practiceText({ practice }: SubmissionView): string {
  if (practice === undefined) return ''
  const lines = practice.domains
    .filter(({ points }) => points !== null)
    .map(
      ({ slug, points }) => `  ${String(points).padStart(3)}  ${findDomain(slug)?.title ?? slug}`,
    )
  const overall = practice.overall === null ? 'too few tasks' : `${practice.overall} points`
  return [`practice: ${overall} overall (not citable)`, ...lines].join('\n')
}
