import { describe, expect, test } from 'vitest'
import { PROBLEM_SLUGS, PROBLEMS } from '../../src/protocol/problem.ts'
import { type Report, reportSchema } from '../../src/protocol/report.ts'
import { renderDocs } from '../../src/worker/pages/docs.tsx'
import { renderEpoch } from '../../src/worker/pages/epoch.tsx'
import { renderHome } from '../../src/worker/pages/home.tsx'
import { meaningOf } from '../../src/worker/pages/meanings/all.ts'
import { renderNotFound } from '../../src/worker/pages/not-found.tsx'
import type { Page } from '../../src/worker/pages/page.ts'
import { renderProblem } from '../../src/worker/pages/problem.tsx'
import { PROBLEM_TEXTS } from '../../src/worker/pages/problem-texts.ts'
import { renderReport } from '../../src/worker/pages/report.tsx'
import { renderVerify } from '../../src/worker/pages/verify.tsx'
import { type Sample, sampleEpoch, sampleReport, WIDE, YOUNG } from '../e2e/browser-sample.ts'

const ORIGIN = 'https://failmap.example'
const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&amp;`

const htmlOf = async (page: Page): Promise<string> => String(await page)
const reportHtml = (sample: Sample) => htmlOf(renderReport({ report: sampleReport(sample) }))
const count = (text: string, part: string | RegExp): number => text.split(part).length - 1

describe('renderReport', () => {
  test('shows a report that the protocol accepts', () => {
    expect(reportSchema.safeParse(sampleReport(WIDE)).success).toBe(true)
  })

  test('links each of the 256 cells to its own table row', async () => {
    const html = await reportHtml(WIDE)
    const cells = [...html.matchAll(/<a class="cell" href="#([a-z0-9-]+)"/g)].map(([, id]) => id)
    expect(new Set(cells).size).toBe(256)
    for (const id of cells) expect(count(html, `<tr id="${id}"`)).toBe(1)
  })

  test('uses every id once and links only to ids that exist', async () => {
    const html = await reportHtml({ ...WIDE, overlay: true })
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const targets = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    expect(targets.filter((target) => !ids.includes(target))).toEqual([])
  })

  test('names as weaker exactly the flagged categories, in map order', async () => {
    const report = sampleReport(WIDE)
    const flagged = report.categories.filter(({ standing }) => standing === 'weaker')
    const html = await htmlOf(renderReport({ report }))
    const cards = [...html.matchAll(/<article class="card">.*?#category-([a-z0-9-]+)/gs)]
    expect(flagged.length).toBeGreaterThan(3)
    expect(cards.map(([, slug]) => slug)).toEqual(flagged.map(({ slug }) => slug))
    expect(count(html, ', weaker than the rest of this map"')).toBe(flagged.length)
  })

  test('says so when no category stands out', async () => {
    const report = sampleReport(WIDE)
    const even = report.categories.map((score) => ({ ...score, standing: 'unresolved' as const }))
    const html = await htmlOf(renderReport({ report: { ...report, categories: even } }))
    expect(html).toContain('None stands out')
  })

  test('tells suppressed cells and cells that are not built apart', async () => {
    const report = sampleReport(WIDE)
    const html = await htmlOf(renderReport({ report }))
    const hidden = (why: string) =>
      report.categories.filter(({ cell }) => !cell.shown && cell.why === why).length
    expect(hidden('few_answers')).toBeGreaterThan(0)
    expect(count(html, '<rect class="suppressed"')).toBe(hidden('few_answers') + 1)
    expect(count(html, '<rect class="not-built"')).toBe(hidden('not_built') + 1)
  })

  test('shows no rate where the overall cell is suppressed', async () => {
    const report = sampleReport(WIDE)
    const overall = { shown: false, tasks: 20, answered: 20, why: 'few_tasks' } as const
    const html = await htmlOf(renderReport({ report: { ...report, overall } }))
    expect(html).toContain('No overall score: too few tasks for a rate.')
    expect(html).not.toContain('class="big"')
  })

  test('escapes whatever strangers named', async () => {
    const html = await reportHtml({ ...WIDE, model: HOSTILE, organisation: HOSTILE })
    expect(html).not.toContain('<script')
    expect(html).not.toContain('<img')
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('&amp;amp;')
  })

  test('marks what the submitter says about the model as a claim', async () => {
    const html = await reportHtml(WIDE)
    for (const name of ['Model', 'Parameters', 'Quantisation', 'Server', 'Sampling']) {
      expect(html).toContain(`<dt>${name} (claim)</dt>`)
    }
  })

  test('warns before the numbers of an open epoch', async () => {
    const html = await reportHtml(YOUNG)
    expect(html.indexOf('Open epoch.</strong>')).toBeGreaterThan(0)
    expect(html.indexOf('Open epoch.</strong>')).toBeLessThan(html.indexOf('class="big"'))
    expect(await reportHtml(WIDE)).not.toContain('Open epoch.</strong>')
  })

  test('warns before numbers that were judged without isolation', async () => {
    expect(await reportHtml({ ...YOUNG, profile: 'unsafe' })).toContain('Judged without isolation.')
    expect(await reportHtml({ ...YOUNG, profile: 'L' })).not.toContain('Judged without isolation.')
  })

  test("keeps an operator's own categories apart", async () => {
    const html = await reportHtml({ ...WIDE, overlay: true })
    expect(count(html, 'class="cell"')).toBe(256)
    expect(html).toContain("The operator's own categories".replace("'", '&#39;'))
    expect(count(html, '<tr id="category-ledger-rounding"')).toBe(1)
  })

  test('prints every digest in full', async () => {
    const report = sampleReport(WIDE)
    const html = await htmlOf(renderReport({ report }))
    for (const digest of digestsOf(report)) expect(html).toContain(digest)
  })

  test('gives the exact commands that verify it', async () => {
    const report = sampleReport(WIDE)
    const html = await htmlOf(renderReport({ report }))
    expect(html).toContain(`curl -fsS -o report.jws ${ORIGIN}/v1/reports/${report.id}.jws`)
    expect(html).toContain('failmap verify report.jws --jwks jwks.json')
  })
})

describe('meaningOf', () => {
  test('knows every category of the map', () => {
    const unknown = sampleReport(WIDE).categories.filter(({ slug }) => !meaningOf(slug))
    expect(unknown).toEqual([])
  })
})

describe('renderProblem', () => {
  test.each(PROBLEM_SLUGS)('%s has a page with a meaning and a next step', async (slug) => {
    const html = await htmlOf(renderProblem({ slug }))
    const { means, steps } = PROBLEM_TEXTS[slug]
    expect(means.length).toBeGreaterThan(40)
    expect(steps.length).toBeGreaterThan(0)
    expect(html).toContain(`<h1>${PROBLEMS[slug].title.replaceAll("'", '&#39;')}</h1>`)
    expect(html).toContain('What to do next')
  })
})

describe('renderHome', () => {
  test('says what to do where there is no epoch', async () => {
    const html = await htmlOf(renderHome({ origin: ORIGIN, epochs: [] }))
    expect(html).toContain('No epoch yet.')
    expect(html).toContain('npm run demo')
  })
})

describe('renderEpoch', () => {
  test('says when reports appear where there is none', async () => {
    const live = await htmlOf(renderEpoch({ epoch: sampleEpoch(WIDE), reports: [] }))
    expect(live).toContain('<time datetime="2026-12-01T00:00:00Z">')
    const open = await htmlOf(renderEpoch({ epoch: sampleEpoch(YOUNG), reports: [] }))
    expect(open).toContain('failmap pull --epoch open-2026-11')
  })

  test('lists reports in the order it is given', async () => {
    const fixed = { count: 1, of: 2, rate: 0.5, low: 0.1, high: 0.9 }
    const line = { organisation: HOSTILE, fixed }
    const html = await htmlOf(
      renderEpoch({
        epoch: sampleEpoch(WIDE),
        reports: [
          { ...line, id: 'rpt_1', model: 'weak' },
          { ...line, id: 'rpt_2', model: 'strong', fixed: null },
        ],
      }),
    )
    expect(html.indexOf('>weak<')).toBeLessThan(html.indexOf('>strong<'))
    expect(html).not.toContain('<script')
  })
})

describe('renderVerify', () => {
  test('shows every key, and says what is missing without one', async () => {
    const key = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' } as const
    const keys = [
      { ...key, x: 'A'.repeat(43), kid: 'key_one' },
      { ...key, x: 'B'.repeat(43), kid: 'key_two' },
    ]
    const html = await htmlOf(renderVerify({ origin: ORIGIN, keys }))
    for (const text of keys.flatMap(({ x, kid }) => [x, kid])) expect(html).toContain(text)
    const bare = await htmlOf(renderVerify({ origin: ORIGIN, keys: [] }))
    expect(bare).toContain('no signing key')
  })
})

describe('every page', () => {
  const pages: [string, () => Page][] = [
    ['report', () => renderReport({ report: sampleReport({ ...WIDE, overlay: true }) })],
    ['epoch', () => renderEpoch({ epoch: sampleEpoch(WIDE), reports: [] })],
    ['home', () => renderHome({ origin: ORIGIN, epochs: [] })],
    ['verify', () => renderVerify({ origin: ORIGIN, keys: [] })],
    ['problem', () => renderProblem({ slug: 'internal' })],
    ['not found', () => renderNotFound()],
    ['docs', () => renderDocs({ document: MINIMAL_DOCUMENT })],
  ]

  test.each(pages)('%s is a document with one title, one h1 and a language', async (_, render) => {
    const html = await htmlOf(render())
    expect(html.startsWith('<!doctype html><html lang="en">')).toBe(true)
    expect(count(html.slice(0, html.indexOf('</head>')), '<title>')).toBe(1)
    expect(count(html, '<h1')).toBe(1)
  })

  test.each(pages)('%s needs no script, no inline style and no other origin', async (_, render) => {
    const html = await htmlOf(render())
    expect(html).not.toMatch(/<script|<style|<iframe|<form|<base/)
    expect(html).not.toMatch(/<[^>]+\s(style|on[a-z]+)=/)
    expect(html).not.toMatch(/<(link|img|use|image)[^>]+(href|src)="(?!\/)/)
  })
})

const MINIMAL_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'failmap', version: '0.1.0' },
  paths: {},
}

function digestsOf(report: Report): string[] {
  const { epoch, submission, code, isolation, model } = report
  return [
    epoch.card,
    epoch.prompts,
    epoch.drawing,
    epoch.commitment,
    submission.manifest,
    submission.patches.sha256,
    code.corpus,
    ...code.runtimes.map(({ sandbox }) => sandbox),
    ...isolation.flatMap(({ seccomp }) => seccomp ?? []),
    model.weights_sha256 ?? '',
  ]
}
