import type { Report } from '../../protocol/report.ts'
import type { Judgement } from '../submit/policy-file.ts'
import type { Paint } from './paint.ts'

/** What a verification has shown, one fact a line, and then what it has not. */
export function verificationLines(
  report: Report,
  keys: string,
  judged: Judgement | null,
  paint: Paint,
): string[] {
  const { submission, epoch, code } = report
  const facts: [string, string][] = [
    ['signature', `Ed25519, by a key in ${keys}`],
    ['signed by', report.iss],
    ['report', report.id],
    ['epoch', `${epoch.id}, card ${short(epoch.card)}, commitment ${short(epoch.commitment)}`],
    [
      'submission',
      `${submission.id} of ${submission.organisation_name ?? submission.organisation}`,
    ],
    ['patches', `${submission.patches.count} lines, sha256 ${short(submission.patches.sha256)}`],
    ['model', `${report.model.name} (as stated by the submitter)`],
    [
      'judged by',
      `corpus ${short(code.corpus)}, ${code.runtimes.map(({ python }) => `Python ${python}`).join(', ')}`,
    ],
    [
      'isolation',
      report.isolation.map(({ profile, shards }) => `${profile} (${shards} shards)`).join(', '),
    ],
  ]
  const lines = [
    paint.green('verified'),
    ...facts.map(([name, value]) => `  ${name.padEnd(11)} ${value}`),
    paint.dim('  A signature proves who sent which bytes, not that a certain model wrote them.'),
  ]
  if (judged === null) return lines
  const verdict = judged.met ? paint.green('policy met') : paint.red('policy not met')
  return [
    ...lines,
    verdict,
    ...judged.findings.map(
      ({ what, met, found }) =>
        `  ${met ? paint.green('ok  ') : paint.red('fail')} ${what} (found ${found})`,
    ),
  ]
}

const short = (digest: string): string => `${digest.slice(0, 12)}…`
