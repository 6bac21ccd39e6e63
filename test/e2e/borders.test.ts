import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..', '..')

/** Who may import whom (docs/guarantees.md): the folder on the left sees only what is listed. */
const MAY_IMPORT: Record<string, string[]> = {
  'src/protocol/': ['src/protocol/'],
  'src/cli/': ['src/cli/', 'src/protocol/'],
  'src/dev/': ['src/dev/', 'src/protocol/'],
  'src/worker/pages/': ['src/worker/pages/', 'src/protocol/'],
  'src/worker/store/': ['src/worker/store/', 'src/protocol/'],
  'src/worker/durable/': ['src/worker/durable/', 'src/protocol/', 'src/worker/env.ts'],
  'src/worker/sandbox/': ['src/worker/sandbox/', 'src/protocol/', 'src/worker/env.ts'],
}

/** A package and the only places that may import it. */
const ONLY_USER: Record<string, string[]> = {
  jose: ['src/protocol/jws.ts'],
  'drizzle-orm': ['src/worker/store/'],
  '@cloudflare/containers': ['src/worker/sandbox/container.ts'],
  hono: ['src/worker/http/', 'src/worker/pages/'],
  undici: ['src/cli/'],
  commander: ['src/cli/'],
}

type Import = { file: string; from: string }

/** Static imports and re-exports (a statement starts its line), and dynamic imports anywhere. */
const STATEMENT = /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?\s*'([^']+)'|\bimport\('([^']+)'\)/gm

const imports: Import[] = globSync('src/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(STATEMENT)].map((match) => {
    const from = match[1] ?? match[2] ?? ''
    return { file, from: from.startsWith('.') ? path.join(path.dirname(file), from) : from }
  }),
)

const under = (file: string, places: string[]) => places.some((place) => file.startsWith(place))

describe('imports in src/', () => {
  test('are found at all', () => {
    expect(imports.length).toBeGreaterThan(100)
  })

  for (const [place, allowed] of Object.entries(MAY_IMPORT)) {
    test(`${place} sees only ${allowed.join(' ')}`, () => {
      const wrong = imports.filter(
        ({ file, from }) =>
          file.startsWith(place) && from.startsWith('src/') && !under(from, allowed),
      )
      expect(wrong).toEqual([])
    })
  }

  for (const [name, users] of Object.entries(ONLY_USER)) {
    test(`${name} is imported by ${users.join(' ')} only`, () => {
      const wrong = imports.filter(
        ({ file, from }) => (from === name || from.startsWith(`${name}/`)) && !under(file, users),
      )
      expect(wrong).toEqual([])
    })
  }

  test('a stage knows neither HTTP nor another stage', () => {
    const wrong = imports.filter(
      ({ file, from }) =>
        file.startsWith('src/worker/stages/') &&
        (from.startsWith('src/worker/http/') ||
          from.startsWith('src/worker/pages/') ||
          from.startsWith('src/worker/stages/')),
    )
    expect(wrong).toEqual([])
  })

  test('the protocol uses nothing of one runtime', () => {
    const allowed = ['zod', 'jose', 'canonicalize']
    const wrong = imports.filter(
      ({ file, from }) =>
        file.startsWith('src/protocol/') && !from.startsWith('src/') && !allowed.includes(from),
    )
    expect(wrong).toEqual([])
  })
})
