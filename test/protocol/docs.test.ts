import { describe, expect, test } from 'vitest'
import page from '../../docs/protocol.md?raw'
import { canonicalJson } from '../../src/protocol/canonical.ts'
import { JWS_TYPES } from '../../src/protocol/compact.ts'
import { EMPTY_SHA256, sha256Hex } from '../../src/protocol/digest.ts'
import { openManifest, openRequest } from '../../src/protocol/jws.ts'
import { toKeyId } from '../../src/protocol/keys.ts'
import { LIMITS } from '../../src/protocol/limits.ts'
import { noAnswerReasonSchema } from '../../src/protocol/patch.ts'
import { POLICIES } from '../../src/protocol/policy-data.ts'
import { PROBLEM_SLUGS, PROBLEMS } from '../../src/protocol/problem.ts'
import { ROUTES } from '../../src/protocol/routes.ts'
import vectors from '../vectors/jws.json'

/** Lines of a section that are code, without their indent. */
function codeOf(title: string): string[] {
  const start = page.indexOf(title)
  const end = page.indexOf('\n## ', start + 1)
  const section = page.slice(start, end === -1 ? undefined : end)
  return section.split('\n').flatMap((line) => (line.startsWith('    ') ? [line.slice(4)] : []))
}

describe('docs/protocol.md', () => {
  test('has an example that holds, byte for byte', async () => {
    const code = codeOf('## 12. An example')
    const [first = '', second = '', third = '', sha256, manifestJws = '', submission, token = ''] =
      code
    const patches = [first, second, third].map((line) => `${line}\n`).join('')
    expect(await sha256Hex(patches)).toBe(sha256)
    const { x } = vectors.private_jwk
    const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const
    const receiver = { origin: vectors.origin, nowSeconds: vectors.now }
    const opened = await openManifest(manifestJws, jwk, receiver)
    if (!opened.ok) throw new Error(opened.error.slug)
    expect(opened.value.manifest.patches).toEqual({
      sha256,
      bytes: new TextEncoder().encode(patches).length,
      count: 3,
    })
    expect(submission).toBe(`sub_${opened.value.sha256.slice(0, 40)}`)
    const target = { ...receiver, method: 'POST', target: ROUTES.submissions }
    const request = await openRequest(token, jwk, target)
    if (!request.ok) throw new Error(request.error.slug)
    expect(request.value.body).toBe(await sha256Hex(canonicalJson({ manifest: manifestJws })))
    expect(code.at(-1)).toBe(canonicalJson(request.value))
    expect(page).toContain(`\`${await toKeyId(jwk)}\``)
    expect(page).toContain(`report \`${vectors.manifest.report}\``)
  })

  test('lists every problem with its status, meaning and remedy, and no other', () => {
    for (const slug of PROBLEM_SLUGS) {
      const { status, title, next } = PROBLEMS[slug]
      expect(page).toContain(`| ${status} | \`${slug}\` | ${title} | ${next} |`)
    }
    expect(page.match(/^\| [45]\d\d \| `/gm)).toHaveLength(PROBLEM_SLUGS.length)
  })

  test('lists every limit with its value', () => {
    for (const [name, value] of Object.entries(LIMITS)) {
      expect(page).toContain(`| ${name} | ${value.toLocaleString('en-US')} |`)
    }
  })

  test('names every route, type and reason that a client meets', () => {
    const { home, epochPage, reportPage, verifyPage, docs, problem, ...served } = ROUTES
    for (const path of Object.values(served)) expect(page).toContain(path)
    for (const typ of Object.values(JWS_TYPES)) expect(page).toContain(`\`${typ}\``)
    for (const reason of noAnswerReasonSchema.options) expect(page).toContain(`\`${reason}\``)
    expect(page).toContain(EMPTY_SHA256)
  })

  test('states the budgets and the smallest cell of each kind as the policy has them', () => {
    const row = (label: string, of: (kind: 'open' | 'live' | 'room') => string) =>
      expect(page).toContain(`| ${label} | ${of('open')} | ${of('live')} | ${of('room')} |`)
    const budget = (value: number | null) =>
      value === null ? 'no limit' : value === 0 ? 'none' : `${value}`
    row('practice runs', (kind) => budget(POLICIES[kind].practice.budget))
    row('sealed submissions', (kind) => budget(POLICIES[kind].sealed.budget))
    row('fewest tasks of a rate', (kind) => `${POLICIES[kind].min_cell}`)
    expect(POLICIES.live.sealed.delay_seconds).toBe(24 * 3600)
  })
})
