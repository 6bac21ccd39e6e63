import { z } from 'zod'
import { buildReport } from '../../src/protocol/build-report.ts'
import { toSubmissionId } from '../../src/protocol/ids.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import type { Report } from '../../src/protocol/report.ts'
import type { Counts, Tally } from '../../src/protocol/tally.ts'
import { FIXED, type SampleEpoch } from './sample-epoch.ts'

type Sent = { manifest: Manifest; sha256: string; lines: string[] }

const patchSchema = z.object({ instance_id: z.string(), module: z.string().nullable() })

/** The report on a submission in which the right module is fixed and any other is wrong. */
export function scored(
  { manifest, sha256, lines }: Sent,
  epoch: SampleEpoch,
  origin: string,
): Report {
  const { card } = epoch.view
  const modules = new Map(
    lines.map((line) => {
      const { instance_id, module } = patchSchema.parse(JSON.parse(line))
      return [instance_id, module]
    }),
  )
  const tallies = card.categories.map(({ slug }): Tally => {
    const counts = (part: 'practice' | 'sealed'): Counts => {
      const own = epoch.prompts.filter((prompt) => prompt.category === slug && prompt.part === part)
      const fixed = own.filter((prompt) => modules.get(prompt.instance_id) === FIXED).length
      const none = own.filter((prompt) => modules.get(prompt.instance_id) === null).length
      return {
        tasks: own.length,
        fixed,
        wrong: own.length - fixed - none,
        crashed: 0,
        timed_out: 0,
        invalid: 0,
        no_answer: none,
        visible_passed: fixed,
        regressed: 0,
        trapped: 0,
        faults_injected: own.length,
        faults_mended: fixed,
        lines_changed: fixed,
        lines_needed: fixed,
      }
    }
    return {
      protocol: 1,
      corpus: card.corpus,
      epoch: card.id,
      submission: toSubmissionId(sha256),
      category: slug,
      runtime: { python: '3.11.7', sandbox: '1'.repeat(64) },
      isolation: {
        profile: 'S',
        landlock_abi: 7,
        user_namespace: true,
        seccomp: '2'.repeat(64),
        self_tests: { run: 12, held: 12 },
      },
      controls: {
        reference: { run: 2, held: 2 },
        known_failing: { run: 2, held: 2 },
        unsolvable: { run: 1, held: 1 },
      },
      parts: { practice: counts('practice'), sealed: counts('sealed') },
    }
  })
  const report = buildReport({
    origin,
    api: '0.1.0',
    card,
    manifest,
    manifestSha256: sha256,
    organisationName: 'Test Lab',
    usage: null,
    tallies,
  })
  if (!report.ok) throw new Error(JSON.stringify(report.error))
  return report.value
}
