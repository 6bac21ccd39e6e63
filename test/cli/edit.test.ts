import { describe, expect, test } from 'vitest'
import { applyDiffText } from '../../src/cli/model/edit.ts'
import { BASE, HEAD } from './edit-fixture.ts'

const diff = (body: string, base = BASE) => applyDiffText(HEAD + body, base, 'right')
const applied = (body: string, base = BASE) => {
  const result = diff(body, base)
  if (!result.ok) throw new Error(result.notes.join(' '))
  return result
}
const RIGHT_2 = BASE.replace(/return total \+ a\n$/, 'return total - a\n')

describe('applyDiffText places a hunk', () => {
  test('by its content when the line numbers are wrong, and notes it', () => {
    const body =
      '@@ -90,3 +90,3 @@\n def right(a):\n     total = 0\n-    return total + a\n+    return total - a\n'
    const result = applied(body)
    expect(result.module).toBe(RIGHT_2)
    expect(result.notes).toContain('offset')
  })

  test('by its line number only between equal places', () => {
    const body = '@@ -10,2 +10,2 @@\n     total = 0\n-    return total + a\n+    return total - a\n'
    const result = applied(body)
    expect(result.module).toBe(RIGHT_2)
    expect(result.notes).toContain('tie_broken_by_line_number')
  })

  test('nowhere when the number names none of two equal places', () => {
    const body = '@@ -8,2 +8,2 @@\n     total = 0\n-    return total + a\n+    return total - a\n'
    expect(diff(body)).toMatchObject({ ok: false, status: 'ambiguous' })
  })

  test('after the hunk before it', () => {
    const body =
      '@@ -4,1 +4,1 @@\n-def left(a):\n+def left(a, b=0):\n@@ @@\n def right(a):\n-    total = 0\n+    total = 1\n@@ @@\n-    return total + a\n+    return total - a\n'
    expect(applied(body).module).toBe(
      RIGHT_2.replace('left(a)', 'left(a, b=0)').replace(/total = 0\n(?=.*\n$)/, 'total = 1\n'),
    )
  })

  test('nowhere when a context line differs: nothing is skipped to make it fit', () => {
    const body =
      '@@ -9,3 +9,3 @@\n def right(b):\n     total = 0\n-    return total + a\n+    return total - a\n'
    expect(diff(body)).toMatchObject({ ok: false, status: 'apply_failed' })
  })

  test('of added lines alone by its line number', () => {
    const result = applied('@@ -1,0 +2,1 @@\n+import sys\n')
    expect(result.module).toBe(BASE.replace('import os\n', 'import os\nimport sys\n'))
    expect(result.notes).toContain('placed_by_line_number')
  })

  test('with blanks at line ends that the module does not have', () => {
    const body = '@@ -9,2 +9,2 @@\n def right(a):  \n-    total = 0 \n+    total = 1\n'
    const result = applied(body)
    expect(result.module).toBe(BASE.replace(/total = 0(?=\n.*\n$)/, 'total = 1'))
    expect(result.notes).toContain('relaxed_match')
  })

  test('and keeps the exact characters of context that only looks the same', () => {
    const base = "NOTE = 'a\u2011b\u00a0c'\nA = 1\n"
    const result = applied("@@ -1,2 +1,2 @@\n NOTE = 'a-b c'\n-A = 1\n+A = 2\n", base)
    expect(result.module).toBe(base.replace('A = 1', 'A = 2'))
  })

  test('at the start and at the end of a module', () => {
    expect(applied('@@ -1 +1,2 @@\n+# first\n import os\n').module).toBe(`# first\n${BASE}`)
    const end = '@@ -9,3 +9,4 @@\n def right(a):\n     total = 0\n     return total + a\n+# last\n'
    expect(applied(end).module).toBe(`${BASE}# last\n`)
  })

  test('with the remark about a missing newline', () => {
    const body =
      '@@ -1 +1 @@\n-import os\n\\ No newline at end of file\n+import sys\n\\ No newline at end of file\n'
    expect(applied(body).module).toBe(BASE.replace('import os', 'import sys'))
  })
})

describe('applyDiffText applies all or nothing', () => {
  test('one hunk of two fails', () => {
    const body =
      '@@ -1 +1 @@\n-import os\n+import sys\n@@ -4 +4 @@\n-def middle(a):\n+def middle(b):\n'
    const result = diff(body)
    expect(result).toMatchObject({ ok: false, status: 'apply_failed' })
    expect(result.notes).toContain('hunk=2')
  })

  test('two hunks that meet', () => {
    const body = '@@ -1 +1 @@\n-import os\n+import sys\n@@ -1 +1 @@\n-import os\n+import re\n'
    expect(diff(body)).toMatchObject({
      ok: false,
      notes: ['format=diff', 'cause=overlapping_hunks'],
    })
  })

  test('a line in a hunk that bears no mark', () => {
    const result = diff('@@ -1,2 +1,2 @@\n-import os\n+import sys\ndef left(a):\n')
    expect(result.notes).toContain('cause=malformed_hunk')
  })

  test('a header without a body', () => {
    expect(diff('@@ -1,2 +1,2 @@\n')).toMatchObject({ ok: false, status: 'apply_failed' })
  })
})

describe('applyDiffText D01, D02: refuses what is no edit of the one module', () => {
  test.each([
    'a/../m.py',
    '../m.py',
    '/etc/passwd',
    'C:\\m.py',
    'c:/m.py',
    'a\\..\\m.py',
    '"a/\\..\\m.py"',
    '~/m.py',
    'x/../../m.py',
  ])('path %s', (path) => {
    const text = `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-import os\n+import sys\n`
    const result = applyDiffText(text, BASE, 'right')
    expect(result).toMatchObject({ ok: false, status: 'apply_failed' })
    expect(result.notes).toContain('cause=path')
  })

  test('one unsafe path among safe ones refuses all', () => {
    const text = `${HEAD}@@ -1 +1 @@\n-import os\n+import sys\n--- /dev/null\n+++ b/../../x.py\n@@ -0,0 +1 @@\n+x\n`
    expect(applyDiffText(text, BASE, 'right').notes).toContain('cause=path')
  })

  const git = 'diff --git a/m.py b/m.py\n'
  test.each([
    ['mode', `${git}old mode 100644\nnew mode 100755\n`],
    [
      'mode',
      `${git}new file mode 120000\n--- /dev/null\n+++ b/m.py\n@@ -0,0 +1 @@\n+/etc/passwd\n`,
    ],
    ['rename', `${git}similarity index 90%\nrename from m.py\nrename to n.py\n`],
    ['binary', `${git}index 1..2\nGIT binary patch\nliteral 3\nabc\n`],
    ['binary', `${git}Binary files a/m.py and b/m.py differ\n`],
    [
      'delete',
      `${git}deleted file mode 100644\n--- a/m.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-import os\n`,
    ],
  ])('%s', (cause, text) => {
    const result = applyDiffText(text, BASE, 'right')
    expect(result).toMatchObject({ ok: false, status: 'apply_failed' })
    expect(result.notes).toContain(`cause=${cause}`)
  })
})

describe('applyDiffText D03, D04: several files, several diffs', () => {
  const own = `${HEAD}@@ -1 +1 @@\n-import os\n+import sys\n`

  test.each(['conftest.py', 'tests/test_m.py', 'sitecustomize.py', 'json.py', 'x.pth'])(
    'a new %s is dropped and counted',
    (path) => {
      const result = applyDiffText(
        `${own}--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x = 1\n`,
        BASE,
        'right',
      )
      expect(result).toMatchObject({ ok: true, module: BASE.replace('import os', 'import sys') })
      expect(result.notes).toContain('extra_file=1')
    },
  )

  test('only other files: nothing is applied', () => {
    const text = '--- a/conftest.py\n+++ b/conftest.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n'
    expect(applyDiffText(text, BASE, 'right')).toMatchObject({ ok: false, status: 'apply_failed' })
  })

  test('two files that both fit are ambiguous', () => {
    const text = `${own}--- a/n.py\n+++ b/n.py\n@@ -1 +1 @@\n-import os\n+import re\n`
    expect(applyDiffText(text, BASE, 'right')).toMatchObject({ ok: false, status: 'ambiguous' })
  })

  test('two diffs of one file are one, and it is noted', () => {
    const text = `${own}${HEAD}@@ -4 +4 @@\n-def left(a):\n+def left(b):\n`
    const result = applyDiffText(text, BASE, 'right')
    expect(result.ok && result.module).toContain('def left(b)')
    expect(result.notes).toContain('merged_diffs')
  })

  test('a file created whole is the module', () => {
    const module = 'def right(a):\n    return a\n'
    const text = '--- /dev/null\n+++ b/m.py\n@@ -0,0 +1,2 @@\n+def right(a):\n+    return a\n'
    expect(applyDiffText(text, BASE, 'right')).toMatchObject({ ok: true, module })
  })

  test('a git header, an index line and a time stamp are no hindrance', () => {
    const text =
      'diff --git a/m.py b/m.py\nindex 83db48f..bf269f4 100644\n--- a/m.py\t2024-01-01 00:00\n+++ b/m.py\t2024-01-01 00:01\n@@ -1 +1 @@ import\n-import os\n+import sys\n'
    expect(applyDiffText(text, BASE, 'right')).toMatchObject({
      ok: true,
      module: BASE.replace('import os', 'import sys'),
    })
  })
})
