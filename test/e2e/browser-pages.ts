import { renderDocs } from '../../src/worker/pages/docs.tsx'
import { renderEpoch } from '../../src/worker/pages/epoch.tsx'
import { renderHome } from '../../src/worker/pages/home.tsx'
import { renderNotFound } from '../../src/worker/pages/not-found.tsx'
import type { Page } from '../../src/worker/pages/page.ts'
import { renderProblem } from '../../src/worker/pages/problem.tsx'
import { renderReport } from '../../src/worker/pages/report.tsx'
import { renderVerify } from '../../src/worker/pages/verify.tsx'
import { digest, sampleEpoch, sampleReport, WIDE, YOUNG } from './browser-sample.ts'

/** A name nobody would choose by accident: markup, a long word, and characters of two scripts. */
export const HOSTILE = `"><script>document.title='taken'</script><img src=x onerror="document.title='taken'">${'W'.repeat(90)} 模型`

const origin = 'https://failmap.example'

/** Every page under test at a path of its own. */
export function samplePages(): Record<string, Page> {
  const wide = sampleReport({ ...WIDE, overlay: true })
  const line = {
    id: wide.id,
    model: wide.model.name,
    organisation: 'Halde Software GmbH',
    fixed: wide.overall.shown ? wide.overall.fixed : null,
  }
  return {
    '/report': renderReport({ report: wide }),
    '/young': renderReport({ report: sampleReport(YOUNG) }),
    '/hostile': renderReport({
      report: sampleReport({ ...WIDE, model: HOSTILE, organisation: HOSTILE }),
    }),
    '/epoch': renderEpoch({
      epoch: sampleEpoch(WIDE),
      reports: [line, { ...line, model: HOSTILE, organisation: HOSTILE, fixed: null }],
    }),
    '/empty-epoch': renderEpoch({ epoch: sampleEpoch(YOUNG), reports: [] }),
    '/': renderHome({ origin, epochs: [epochLine('live', 'closed'), epochLine('open', 'open')] }),
    '/empty': renderHome({ origin, epochs: [] }),
    '/verify': renderVerify({ origin, keys: [KEY] }),
    '/problem': renderProblem({ slug: 'patches-mismatch' }),
    '/gone': renderNotFound(),
    '/docs': renderDocs({ document: DOCUMENT }),
  }
}

const KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'key_kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  alg: 'EdDSA',
  use: 'sig',
} as const

const epochLine = (kind: 'live' | 'open', phase: 'closed' | 'open') => {
  const { card } = sampleEpoch(kind === 'live' ? WIDE : YOUNG)
  return {
    id: card.id,
    kind,
    title: card.title,
    opens_at: card.opens_at,
    closes_at: card.closes_at,
    phase,
    card_sha256: digest('card'),
    categories: card.categories.length,
    tasks: card.prompts.count,
  }
}

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'failmap API', version: '1' },
  paths: {
    '/v1/submissions/{id}/patches': {
      put: {
        summary: 'Upload the patches of a submission',
        parameters: [
          { name: 'id', in: 'path', schema: { type: 'string', pattern: '^sub_[0-9a-f]{40}$' } },
        ],
        responses: {
          202: {
            description: 'Stored',
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Submission' } },
            },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Submission: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string', description: 'Derived from the manifest' } },
      },
    },
  },
}
