import { describe, expect, test } from 'vitest'
import { renderDocs } from '../../src/worker/pages/docs.tsx'

const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Sample API', version: '9.9.9', description: 'For <people>.' },
  paths: {
    '/v1/things/{id}': {
      get: {
        summary: 'Read a thing',
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            schema: { type: 'string', pattern: '^t_<.>$' },
          },
        ],
        responses: {
          200: {
            description: 'The thing',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: {
            description: 'not-found, odd-word',
            content: {
              'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
            },
          },
        },
      },
      delete: { summary: 'Remove a thing', responses: { 204: { description: 'Gone' } } },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        description: 'One thing.',
        required: ['kind'],
        properties: {
          kind: { type: 'string', enum: ['red', 'blue'] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
          size: { type: ['integer', 'null'], minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          either: { anyOf: [{ type: 'string' }, { const: 4 }] },
        },
      },
      Part: { type: 'string', maxLength: 9 },
    },
  },
}

describe('renderDocs', () => {
  test('shows every operation, shape and refusal, each with an anchor', async () => {
    const html = String(await renderDocs({ document: DOCUMENT }))
    expect(html).toContain('<article class="operation" id="get-v1-things-id-">')
    expect(html).toContain('<article class="operation" id="delete-v1-things-id-">')
    expect(html).toContain('<article id="shape-Thing">')
    expect(html).toContain('<a href="#shape-Part">Part</a>')
    expect(html).toContain('/problems/clock-skew')
  })

  test('tells kinds, bounds, choices and optional properties', async () => {
    const html = String(await renderDocs({ document: DOCUMENT }))
    expect(html).toContain('integer or null, at least 1<')
    expect(html).toContain('<code>&quot;red&quot;</code> or <code>&quot;blue&quot;</code>')
    expect(html).toContain('string or <code>4</code>')
    expect(html).toContain('string, 9 characters at most')
    expect(html).toMatch(/<code>parts<\/code><span class="quiet small"> optional/)
    expect(html).not.toMatch(/<code>kind<\/code><span class="quiet small"> optional/)
  })

  test('links each refusal of an operation to its page', async () => {
    const html = String(await renderDocs({ document: DOCUMENT }))
    expect(html).toContain('<dd><a href="/problems/not-found">not-found</a>, odd-word</dd>')
  })

  test('escapes texts of the document', async () => {
    const html = String(await renderDocs({ document: DOCUMENT }))
    expect(html).toContain('For &lt;people&gt;.')
    expect(html).toContain('^t_&lt;.&gt;$')
  })

  test('refuses what is not an OpenAPI document', () => {
    expect(() => renderDocs({ document: { info: {} } })).toThrow()
  })
})
