import { describe, expect, test } from 'vitest'
import { applyEdits, overlap } from '../../src/cli/baselines/edits.ts'
import { cross, express, mutate, readMaterial } from '../../src/cli/baselines/genetic-operators.ts'
import { Draw } from '../../src/cli/baselines/random.ts'
import { TEMPLATES, templateCandidates } from '../../src/cli/baselines/template.ts'
import { LATE, SPAN } from './baselines-prompts.ts'

const inFunction = (body: string) => `def f(a, b, items):\n    ${body.replaceAll('\n', '\n    ')}\n`

function variantsOf(source: string): Map<string, string> {
  const variants = new Map<string, string>()
  for (const { origin, edits } of templateCandidates(source, 'f'))
    if (!variants.has(applyEdits(source, edits))) variants.set(applyEdits(source, edits), origin)
  return variants
}

describe('templateCandidates mends', () => {
  test.each([
    ['comparison', 'return a < b', 'return a <= b'],
    ['comparison', 'return a  not  in items', 'return a  in items'],
    ['comparison', 'return a is b', 'return a == b'],
    ['constant', 'return items[0]', 'return items[-1]'],
    ['constant', 'return a + 2', 'return a + 1'],
    ['constant', 'return True', 'return False'],
    ['none-or-falsy', 'return a or b', 'return (a if a is not None else b)'],
    ['none-or-falsy', 'if a:\n    return b', 'if a is not None:\n    return b'],
    ['none-or-falsy', 'if not a:\n    return b', 'if a is None:\n    return b'],
    ['none-or-falsy', 'if a is None:\n    return b', 'if not a:\n    return b'],
    ['boundary', 'return range(a, b)', 'return range(a, b + 1)'],
    ['boundary', 'return items[a:b]', 'return items[a:b - 1]'],
    ['boundary', 'return a < b - 1', 'return a < b'],
    ['arithmetic', 'return a // b', 'return a / b'],
    ['arithmetic', 'a += b', 'a -= b'],
    ['logic', 'return a and b', 'return a or b'],
    ['logic', 'while a > b:\n    a = b', 'while not (a > b):\n    a = b'],
    ['twin', 'return min(a, b)', 'return max(a, b)'],
    ['twin', 'return a.find(b)', 'return a.rfind(b)'],
    ['twin', 'for i in items:\n    break', 'for i in items:\n    continue'],
    ['swap', 'return f(a, b, items)', 'return f(b, a, items)'],
    ['swap', 'return a if b else items', 'return items if b else a'],
    ['swap', 'return a - b', 'return b - a'],
    ['field', "return a['x'] + b['y']", "return a['y'] + b['y']"],
    ['field', 'return a.x + b.y', 'return a.y + b.y'],
    ['default', 'return a.get(b)', 'return a.get(b, 0)'],
    ['default', 'return a.pop(b, 0)', 'return a.pop(b, None)'],
    ['move', 'a = 1\nb = a\nreturn b', 'b = a\na = 1\nreturn b'],
    ['leave-branch', 'if a:\n    a = 1\n    b = 2', 'if a:\n    a = 1\nb = 2'],
    ['copy', 'items.append(a)\nreturn items', 'items = list(items)\nitems.append(a)\nreturn items'],
    ['copy', 'return items', 'return list(items)'],
    ['delete', 'a = 1\nreturn a', 'pass\nreturn a'],
    ['result-off-by-one', 'return a + b', 'return a + b - 1'],
    ['variable', 'return items[a]', 'return items[b]'],
    ['guard', 'return items[a]', 'if not items:\n    return []\nreturn items[a]'],
  ])('%s: %j', (origin, faulty, mended) => {
    expect(variantsOf(inFunction(faulty)).get(inFunction(mended))).toBe(origin)
  })

  test('what the entry point reaches before what it does not', () => {
    const source =
      'def other(x):\n    return x < 1\n\n\ndef helper(x):\n    return x < 2\n\n\ndef f(x):\n    return helper(x)\n'
    const [first] = variantsOf(source).keys()
    expect(first).toBe(source.replace('x < 2', 'x <= 2'))
  })

  test('the smallest changes first, in the order of the templates', () => {
    const origins = [...templateCandidates(SPAN.module, 'span')].map(({ origin }) => origin)
    const order = TEMPLATES.map(({ name }) => name)
    const ranks = origins.map((origin) => order.indexOf(origin))
    expect(ranks).toEqual([...ranks].sort((left, right) => left - right))
  })

  test('no docstring, no import, nothing outside of code', () => {
    const source = 'import os\n\n\ndef f(a):\n    """Whether a < 1 or not."""\n    return a\n'
    for (const variant of variantsOf(source).keys()) {
      expect(variant).toContain('import os')
      expect(variant).toContain('Whether a < 1 or not.')
    }
  })
})

describe('the operators of the genetic search', () => {
  const material = readMaterial(LATE.module, 'late')

  test('keep the changes of a genome apart', () => {
    const draw = new Draw('apart')
    let genome = mutate([], material, draw)
    for (let step = 0; step < 60; step++) {
      genome = cross(mutate(genome, material, draw), mutate([], material, draw), draw)
      const edits = genome.flat()
      for (const [index, edit] of edits.entries())
        for (const other of edits.slice(index + 1)) expect(overlap(edit, other)).toBe(false)
    }
  })

  test('give an insertion the indent of its place', () => {
    const source = 'def f(a):\n    if a:\n        a = 1\n    return a\n'
    const inner = readMaterial(source, 'f')
    const draw = new Draw('indent')
    const modules = Array.from({ length: 1_500 }, () => express(inner, mutate([], inner, draw)))
    expect(modules).toContain(
      'def f(a):\n    if a:\n        return a\n        a = 1\n    return a\n',
    )
    expect(modules).toContain('def f(a):\n    if a:\n        a = 1\n    a = 1\n    return a\n')
    expect(modules).toContain('def f(a):\n    return a\n    if a:\n        a = 1\n    return a\n')
  })

  test('take code from the same module only', () => {
    const draw = new Draw('same')
    for (let step = 0; step < 100; step++) {
      const module = express(material, mutate([], material, draw))
      for (const [name] of module.matchAll(/\b[a-z]{4,}\b/g))
        expect(`${LATE.module} pass list dict set None not and`).toContain(name)
    }
  })
})

describe('Draw', () => {
  test('gives the same numbers for the same text, and others for another', () => {
    const numbers = (seed: string) => {
      const draw = new Draw(seed)
      return Array.from({ length: 20 }, () => draw.below(1000))
    }
    expect(numbers('a')).toEqual(numbers('a'))
    expect(numbers('a')).not.toEqual(numbers('b'))
  })

  test('is even', () => {
    const draw = new Draw('even')
    const counts = [0, 0, 0, 0]
    for (let step = 0; step < 4_000; step++) {
      const value = draw.below(4)
      counts[value] = (counts[value] ?? 0) + 1
    }
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(120)
  })
})
