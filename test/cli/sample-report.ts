import { buildReport } from '../../src/protocol/build-report.ts'
import { toSubmissionId } from '../../src/protocol/ids.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import { CATEGORIES } from '../../src/protocol/map.ts'
import { POLICIES } from '../../src/protocol/policy-data.ts'
import type { Report } from '../../src/protocol/report.ts'

const hex = (digit: string): string => digit.repeat(64)
const SEALED = 80

/** A report over 200 categories with every rate from 0 to 100 %. */
export function sampleReport(): Report {
  const chosen = CATEGORIES.slice(0, 200)
  const count = chosen.length * SEALED
  const card = {
    card: 1 as const,
    id: 'open-2026-11',
    kind: 'open' as const,
    title: 'November 2026',
    opens_at: '2026-11-01T00:00:00Z',
    closes_at: '2026-12-01T00:00:00Z',
    practice: 0,
    sealed: SEALED,
    corpus: hex('a'),
    drawing: hex('b'),
    prompt_version: 1,
    prompts: { sha256: hex('c'), bytes: 1, count },
    commitment: hex('d'),
    policy: POLICIES.open,
    categories: chosen.map(({ slug, domain }) => ({ slug, domain, origin: 'public' as const })),
  }
  const manifest: Manifest = {
    manifest: 1,
    iss: `key_${'k'.repeat(43)}`,
    aud: 'https://api.example',
    organisation: 'org_0123456789abcdef',
    part: 'sealed',
    epoch: { id: card.id, card: hex('e'), prompts: card.prompts.sha256 },
    patches: { sha256: hex('f'), bytes: 1, count },
    model: {
      name: 'ollama/qwen2.5-coder:7b',
      provider: null,
      parameters: null,
      quantisation: null,
      weights_sha256: null,
      server: null,
      context_length: null,
      sampling: { temperature: 0, top_p: null, top_k: null, seed: 0, max_tokens: 4096 },
    },
    client: { name: 'failmap', version: '0.1.0' },
    prompt_version: 1,
    iat: 1_796_000_000,
    exp: 1_796_003_600,
    jti: 'AAECAwQFBgcICQoLDA0ODw',
  }
  const none = {
    tasks: 0,
    fixed: 0,
    wrong: 0,
    crashed: 0,
    timed_out: 0,
    invalid: 0,
    no_answer: 0,
    visible_passed: 0,
    regressed: 0,
    trapped: 0,
    faults_injected: 0,
    faults_mended: 0,
    lines_changed: 0,
    lines_needed: 0,
  }
  const tallies = chosen.map(({ slug }, at) => {
    const fixed = (at * 37) % (SEALED + 1)
    return {
      protocol: 1 as const,
      corpus: card.corpus,
      epoch: card.id,
      submission: toSubmissionId(hex('5')),
      category: slug,
      runtime: { python: '3.11.7', sandbox: hex('1') },
      isolation: {
        profile: 'S' as const,
        landlock_abi: 7,
        user_namespace: true,
        seccomp: hex('2'),
        self_tests: { run: 12, held: 12 },
      },
      controls: {
        reference: { run: 2, held: 2 },
        known_failing: { run: 2, held: 2 },
        unsolvable: { run: 1, held: 1 },
      },
      parts: {
        practice: none,
        sealed: {
          ...none,
          tasks: SEALED,
          fixed,
          wrong: SEALED - fixed,
          visible_passed: Math.min(SEALED, fixed + 9),
          faults_injected: SEALED,
          faults_mended: fixed,
          lines_changed: fixed,
          lines_needed: fixed,
        },
      },
    }
  })
  const report = buildReport({
    origin: manifest.aud,
    api: '0.1.0',
    card,
    manifest,
    manifestSha256: hex('5'),
    organisationName: 'Test Lab',
    usage: null,
    tallies,
  })
  if (!report.ok) throw new Error(JSON.stringify(report.error))
  return report.value
}
