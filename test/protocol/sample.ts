import type { EpochCard } from '../../src/protocol/epoch.ts'
import { toSubmissionId } from '../../src/protocol/ids.ts'
import { type Signer, toSigner } from '../../src/protocol/jws.ts'
import type { PrivateJwk } from '../../src/protocol/keys.ts'
import type { Manifest } from '../../src/protocol/manifest.ts'
import { CATEGORIES } from '../../src/protocol/map.ts'
import { type EpochKind, POLICIES } from '../../src/protocol/policy-data.ts'
import type { Counts, Tally } from '../../src/protocol/tally.ts'

export const ORIGIN = 'https://api.example'
export const NOW = 1_796_000_000

/** Test keys of RFC 8037 appendix A and RFC 8032 section 7.1 (test 2): public knowledge. */
export const ALICE: PrivateJwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
}
export const MALLORY: PrivateJwk = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw',
  d: 'TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs',
}

export async function signerOf(jwk: PrivateJwk): Promise<Signer> {
  const signer = await toSigner(jwk)
  if (!signer.ok) throw new Error(signer.error.detail)
  return signer.value
}

const hex = (digit: string): string => digit.repeat(64)

/** A card of the first `categories` cells of the map, two of them in an overlay if asked. */
export function sampleCard(
  kind: EpochKind,
  { categories = 20, practice = 16, sealed = 80, overlay = false } = {},
): EpochCard {
  const chosen = CATEGORIES.slice(0, categories).map(({ slug, domain }) => ({
    slug,
    domain,
    origin: 'public' as const,
  }))
  const secret = ['acme-ledger', 'acme-routing'].map((slug) => ({
    slug,
    domain: 'numbers-money' as const,
    origin: 'overlay' as const,
  }))
  const all = overlay ? [...chosen, ...secret] : chosen
  return {
    card: 1,
    id: `${kind}-2026-11`,
    kind,
    title: 'November 2026',
    opens_at: '2026-11-01T00:00:00Z',
    closes_at: '2026-11-29T00:00:00Z',
    practice,
    sealed,
    corpus: hex('a'),
    drawing: hex('b'),
    prompt_version: 1,
    prompts: { sha256: hex('c'), bytes: 1_000_000, count: all.length * (practice + sealed) },
    commitment: hex('d'),
    policy: POLICIES[kind],
    categories: all,
  }
}

export function sampleManifest(card: EpochCard, iss: string): Manifest {
  return {
    manifest: 1,
    iss,
    aud: ORIGIN,
    organisation: 'org_0123456789abcdef',
    part: 'sealed',
    epoch: { id: card.id, card: hex('e'), prompts: card.prompts.sha256 },
    patches: { sha256: hex('f'), bytes: 123_456, count: card.prompts.count },
    model: {
      name: 'ollama/qwen2.5-coder:7b',
      provider: null,
      parameters: 7_615_616_512,
      quantisation: 'Q4_K_M',
      weights_sha256: hex('9'),
      server: { name: 'ollama', version: '0.9.1' },
      context_length: 8192,
      sampling: { temperature: 0.2, top_p: 0.95, top_k: 40, seed: 7, max_tokens: 4096 },
    },
    client: { name: 'failmap', version: '0.1.0' },
    prompt_version: 1,
    iat: NOW,
    exp: NOW + 3600,
    jti: 'AAECAwQFBgcICQoLDA0ODw',
  }
}

/** Counts of `tasks` tasks that fit together: what is neither fixed nor unanswered is wrong. */
export function sampleCounts(tasks: number, fixed: number, more: Partial<Counts> = {}): Counts {
  const noAnswer = more.no_answer ?? 0
  return {
    tasks,
    fixed,
    wrong: tasks - fixed - noAnswer,
    crashed: 0,
    timed_out: 0,
    invalid: 0,
    no_answer: noAnswer,
    visible_passed: fixed,
    regressed: 0,
    trapped: 0,
    faults_injected: tasks,
    faults_mended: fixed,
    lines_changed: 2 * fixed,
    lines_needed: fixed,
    ...more,
  }
}

export const MANIFEST_SHA256 = hex('5')

/** A tally of a category that the API has every reason to believe. */
export function sampleTally(card: EpochCard, category: string, sealed: Counts): Tally {
  return {
    protocol: 1,
    corpus: card.corpus,
    epoch: card.id,
    submission: toSubmissionId(MANIFEST_SHA256),
    category,
    runtime: { python: '3.11.7', sandbox: hex('1') },
    isolation: {
      profile: 'S',
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
    parts: { practice: sampleCounts(card.practice, card.practice >> 1), sealed },
  }
}
