import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  definesName,
  findSourceError,
  isPython,
  topLevelNames,
} from '../../src/cli/model/reply-python.ts'

const ROOT = join(import.meta.dirname, '../..')

describe('findSourceError', () => {
  test('finds none in the Python of this repository', () => {
    const files = globSync(['sandbox/**/*.py', 'tasks/**/*.py', 'test/**/*.py'], { cwd: ROOT })
    const refused = files.filter((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8')
      return source.length < 60_000 && !isPython(source)
    })
    expect(files.length).toBeGreaterThan(30)
    expect(refused).toEqual([])
  })

  test.each([
    'def f():\n    yield\n',
    'x = (yield)\n',
    'gen = lambda: (yield)\n',
    'x = 3600. * 2\ny = 1.e5\nz = f(1.)\n',
    'match x:\n    case ast.BinOp():\n        pass\n    case {}:\n        pass\n    case []:\n        pass\n',
    'match x, y:\n    case (1, 2) | [3, *_]:\n        pass\n    case {"a": 1, **rest}:\n        pass\n',
    'with (open(a) as f, open(b) as g):\n    pass\n',
    'with a() as (x, y), b() as self.z:\n    pass\n',
    'for x in *a, b:\n    pass\n',
    'y = [i for i, *_ in z]\nfor *_, i in z: pass\n*a, b = c\na, *b = c\n(a, *b), c = d\n',
    'x: tuple[*Ts]\n',
    'f = lambda a, /, b: a\n',
    '@buttons[0].clicked.connect\ndef f(): pass\n',
    '@False or null\ndef f(): pass\n',
    'def f():\n    \f\n    return 1\n',
    'try:\n    pass\nexcept* (A, B) as e:\n    pass\n',
    'def f[T: int](x: T) -> T: ...\n',
    'type Pair[T] = tuple[T, T]\n',
    'async def f():\n    async with a as b:\n        return [x async for x in b]\n',
    'if (n := len(a)) > 1: pass\n',
    'x = "a\\\nb"\n',
    "s = '''\n```\n</think>\n'''\n",
    'größe = 1\nñ.é = größe\n',
    'print = 1\nmatch = case = type = 2\nmatch.x = type(case)\n',
    'print("x", file=log)\nshow = print\nprint >> log, "x"\n',
    'def f(a, /, b, *, c=1, **d): return {**d, "b": b}\n',
    '\n\n    # an indented comment first\nx = 1\n',
    '# only a comment\n',
    '',
  ])('accepts %j', (source) => {
    expect(findSourceError(source)).toBeNull()
  })

  test.each([
    ['def f(:\n', 1],
    ['x = (1,\n', 2],
    ['def f():\nreturn 1\n', 2],
    ['  x = 1\n', 1],
    ['x = "abc\n', 1],
    ['x = """abc\n', 2],
    ['ok = 1\nThis is prose.\n', 2],
    ['ok = 1\n```\n', 2],
    ['ok = 1\nx = “a”\n', 2],
    ['ok = 1\nx = a\u00a0+ b\n', 2],
    ['def f():\n    return 1<|im_end|>\n', 2],
    ['<<<<<<< SEARCH\n', 1],
    ['@@ -1 +1 @@\n', 1],
    ['def f():\n    print "x"\n', 2],
    ['def f():\n    yield\n  x = = 1\n', 3],
  ])('refuses %j at line %i', (source, line) => {
    expect(findSourceError(source)?.line).toBe(line)
  })

  test('names a character that only looks like a blank or a quote', () => {
    expect(findSourceError('def f():\n\u00a0\u00a0return 1\n')?.codePoint).toBe('U+00A0')
    expect(findSourceError('x = “a”\n')?.codePoint).toBe('U+201C')
    expect(findSourceError('x = (\n')?.codePoint).toBeUndefined()
  })
})

test('topLevelNames tells what a module defines from what it imports', () => {
  const source = `import a.b, c as d
from x import (y,
    z as w)  # remark
A = B = 1
C: int = 2
D, (E, *F) = q
o.p = r[0] = 3
def f():
    inner = 1
@decorated
class K:
    field = 1
if a:
    G = 1
else:
    H = 2
try:
    I = 1
except Error:
    J = 2
H1 = 1; H2 = 2
`
  const { defined, imported } = topLevelNames(source)
  expect([...defined].sort()).toEqual('A B C D E F G H H1 H2 I J K f'.split(' ').sort())
  expect([...imported].sort()).toEqual(['a', 'd', 'w', 'y'])
})

test('definesName does not count an import, a mention or an inner name', () => {
  expect(definesName('from m import width\nwidth(1, 2)\n', 'width')).toBe(false)
  expect(definesName('def f():\n    width = 1\n', 'width')).toBe(false)
  expect(definesName('width = partial(f)\n', 'width')).toBe(true)
  expect(definesName('if x:\n    def width(): pass\n', 'width')).toBe(true)
})
