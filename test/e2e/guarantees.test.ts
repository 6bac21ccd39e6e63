import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..', '..')
const page = readFileSync(path.join(root, 'docs', 'guarantees.md'), 'utf8')
const promises = page.split(/^## (?=\d+\. )/m).slice(1)

describe('docs/guarantees.md', () => {
  test('states the ten promises', () => {
    expect(promises.map((text) => Number.parseInt(text, 10))).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
  })

  for (const promise of promises) {
    test(`names real tests behind ${promise.split('\n')[0]}`, () => {
      const named = [...promise.matchAll(/^- `(test\/[^`]+)`: `([^`]+)`$/gm)]
      expect(named.length).toBeGreaterThan(0)
      for (const [, file = '', title = ''] of named) {
        const full = path.join(root, file)
        expect(existsSync(full), file).toBe(true)
        expect(readFileSync(full, 'utf8').includes(title), `${file}: ${title}`).toBe(true)
      }
    })
  }
})
