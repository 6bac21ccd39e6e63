import { describe, expect, test } from 'vitest'
import { replyToModule } from '../../src/cli/model/reply.ts'
import { BASE, HEAD } from './edit-fixture.ts'

describe('replyToModule applies an edit', () => {
  const read = (reply: string) => replyToModule(reply, { module: BASE, entryPoint: 'right' })
  const IMPORT = { status: 'ok', module: BASE.replace('import os', 'import sys') }

  test.each([
    [
      'a diff among prose',
      `I changed it:\n\n${HEAD}@@ -1 +1 @@\n-import os\n+import sys\n\nThat is all.\n`,
    ],
    [
      'a diff, then a list',
      `${HEAD}@@ -1,2 +1,2 @@\n-import os\n+import sys\n \n\n- one change\n- no more\n`,
    ],
    ['a diff without headers', '```diff\n-import os\n+import sys\n```\n'],
    ['a diff tagged patch', `\`\`\`patch\n${HEAD}@@ -1 +1 @@\n-import os\n+import sys\n\`\`\`\n`],
    ['a diff tagged python', `\`\`\`python\n${HEAD}@@ -1 +1 @@\n-import os\n+import sys\n\`\`\`\n`],
    [
      'two diffs',
      `\`\`\`diff\n@@ -1 +1 @@\n-import os\n+import sys\n\`\`\`\nagain\n\`\`\`diff\n@@ -1 +1 @@\n-import os\n+import sys\n\`\`\`\n`,
    ],
    [
      '*** Update File',
      '*** Begin Patch\n*** Update File: m.py\n@@\n-import os\n+import sys\n*** End Patch\n',
    ],
    ['search/replace', '<<<<<<< SEARCH\nimport os\n=======\nimport sys\n>>>>>>> REPLACE\n'],
    [
      'search/replace with longer marks',
      '<<<<<<<<< SEARCH\nimport os\n=========\nimport sys\n>>>>>>>>> REPLACE\n',
    ],
    [
      'search/replace in a fence with a name',
      'm.py\n```python\n<<<<<<< SEARCH\nimport os\n=======\nimport sys\n>>>>>>> REPLACE\n```\nDone.\n',
    ],
    [
      'search/replace with CRLF',
      '<<<<<<< SEARCH\r\nimport os\r\n=======\r\nimport sys\r\n>>>>>>> REPLACE\r\n',
    ],
  ])('%s', (_, reply) => {
    expect(read(reply)).toMatchObject(IMPORT)
  })

  test('several blocks in their order, also of one place', () => {
    const reply =
      '<<<<<<< SEARCH\nimport os\n=======\nimport re\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nimport re\n=======\nimport sys\n>>>>>>> REPLACE\n'
    expect(read(reply)).toMatchObject(IMPORT)
  })

  test('a block without a replacement deletes its lines', () => {
    const reply = '<<<<<<< SEARCH\nimport os\n=======\n>>>>>>> REPLACE\n'
    expect(read(reply).module).toBe(BASE.replace('import os\n', ''))
  })

  test('a place that only an earlier block made unique is ambiguous all the same', () => {
    const reply =
      '<<<<<<< SEARCH\ndef left(a):\n    total = 0\n=======\ndef left(a):\n    total = 1\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n    total = 0\n=======\n    total = 2\n>>>>>>> REPLACE\n'
    expect(read(reply)).toMatchObject({ status: 'ambiguous', module: null })
  })

  test.each([
    [
      'an empty search',
      '<<<<<<< SEARCH\n=======\nimport sys\n>>>>>>> REPLACE\n',
      'cause=empty_search',
    ],
    [
      'a search that is nowhere',
      '<<<<<<< SEARCH\nimport io\n=======\nimport sys\n>>>>>>> REPLACE\n',
      'cause=not_found',
    ],
    [
      'other indentation',
      '<<<<<<< SEARCH\n  def left(a):\n=======\n  def left(b):\n>>>>>>> REPLACE\n',
      'cause=not_found',
    ],
  ])('not with %s', (_, reply, note) => {
    const outcome = read(reply)
    expect(outcome).toMatchObject({ status: 'apply_failed', module: null })
    expect(outcome.notes).toContain(note)
  })

  test('and calls one that changes nothing unchanged', () => {
    const reply = '<<<<<<< SEARCH\nimport os\n=======\nimport os\n>>>>>>> REPLACE\n'
    expect(read(reply)).toMatchObject({ status: 'unchanged', module: BASE })
  })

  test('and leaves a result that does not parse to the judge', () => {
    const reply = '<<<<<<< SEARCH\nimport os\n=======\nimport\n>>>>>>> REPLACE\n'
    expect(read(reply)).toMatchObject({
      status: 'bad_source',
      module: BASE.replace('import os', 'import'),
    })
  })
})
