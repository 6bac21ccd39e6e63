import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { readKeyId } from '../../src/protocol/compact.ts'
import { cut, desk } from './desk.ts'
import { FAULTY, FIXED } from './sample-epoch.ts'

describe('failmap submit', () => {
  test('sends every task once, in the order of the prompts, under the manifest that was signed', async () => {
    const { terminal, api, epoch } = await desk()
    const ending = await terminal.type('submit', '--wait')
    expect(ending.exit).toBe(0)
    const [submission] = [...api.submissions.values()]
    const ids = submission?.lines.map((line): unknown => JSON.parse(line).instance_id)
    expect(ids).toEqual(epoch.prompts.map(({ instance_id }) => instance_id))
    expect(submission?.manifest).toMatchObject({
      part: 'sealed',
      model: { name: 'my agent' },
      patches: { count: 16 },
      client: { name: 'failmap' },
    })
    expect(ending.out).toContain('overall')
    expect(ending.out).toContain('66.7 %')
  })

  test('a module is sent whatever its reading was; without one the reason is', async () => {
    const { terminal, api, epoch } = await desk({ hasRun: false })
    for (const command of ['keygen', 'register', 'pull']) await terminal.type(command)
    const blanks = FIXED.replaceAll('    ', '\u00a0'.repeat(4))
    const replies = [
      `\`\`\`python\n${blanks}\`\`\``,
      `\`\`\`python\n${FAULTY}\`\`\``,
      'I would rather not.',
      '',
    ]
    const lines = replies.map((reply, at) =>
      JSON.stringify({ instance_id: epoch.prompts[at]?.instance_id, reply }),
    )
    const file = path.join(terminal.folder, 'replies.jsonl')
    writeFileSync(file, `${lines.join('\n')}\n`)
    const ran = await terminal.type('run', '--replies', file, '--model', 'm', '--json')
    expect(JSON.parse(ran.out).counts).toEqual({
      bad_source: 1,
      unchanged: 1,
      no_code: 1,
      empty: 1,
    })
    expect((await terminal.type('submit')).exit).toBe(0)
    const [submission] = [...api.submissions.values()]
    const sent = (submission?.lines ?? []).map((line): unknown => JSON.parse(line))
    expect(sent.slice(0, 5)).toMatchObject([
      { module: blanks },
      { module: FAULTY },
      { module: null, reason: 'no_code' },
      { module: null, reason: 'empty' },
      { module: null, reason: 'not_run' },
    ])
  })

  test('the same command again is the same submission, and nothing is uploaded twice', async () => {
    const { terminal, api } = await desk()
    await terminal.type('submit')
    const again = await terminal.type('submit', '--json')
    expect(again.exit).toBe(0)
    expect(api.submissions.size).toBe(1)
    expect(api.uploads).toBe(1)
  })

  test('a cut connection at any request is repeated, and the outcome is the same', async () => {
    const { terminal, api } = await desk()
    let requests = 0
    const cutAt = new Set([2, 4, 6])
    api.faults.before = (request, response) => {
      requests += 1
      return cutAt.has(requests) && cut(request, response)
    }
    expect((await terminal.type('submit')).exit).toBe(0)
    expect(api.submissions.size).toBe(1)
    expect(api.uploads).toBe(1)
  })

  test('an upload whose answer is lost is found to have arrived', async () => {
    const { terminal, api } = await desk()
    api.faults.loseUploadAnswer = true
    const ending = await terminal.type('submit', '--json')
    expect(ending.exit).toBe(0)
    expect(JSON.parse(ending.out)).toMatchObject({ submission: { state: 'scored' } })
    expect(api.uploads).toBe(1)
  })

  test('an API that stays away ends with 4; later the same manifest goes on', async () => {
    const { terminal, api } = await desk()
    api.faults.before = (request, response) => request.method === 'PUT' && cut(request, response)
    const ending = await terminal.type('submit')
    expect(ending.exit).toBe(4)
    expect(ending.err).toContain('nothing is lost')
    delete api.faults.before
    expect((await terminal.type('submit')).exit).toBe(0)
    expect(api.submissions.size).toBe(1)
  })

  test('CL-131 a submission that ends incomplete is partial: exit 5', async () => {
    const { terminal, api } = await desk()
    api.faults.incomplete = true
    const ending = await terminal.type('submit', '--wait')
    expect(ending.exit).toBe(5)
    expect(ending.out).toContain('sandbox_failed')
  })

  test.each([
    ['budget-spent', 429, 7],
    ['epoch-closed', 409, 1],
    ['rate-limited', 429, 4],
    ['signature-invalid', 401, 6],
    ['internal', 500, 4],
  ])('the refusal %s ends with its own exit code', async (slug, status, exit) => {
    const { terminal, api } = await desk()
    api.faults.before = (request, response) => {
      if (request.method !== 'POST') return false
      response.writeHead(status, { 'content-type': 'application/problem+json', 'retry-after': '0' })
      response.end(JSON.stringify({ type: `${api.origin}/problems/${slug}`, title: 'No', status }))
      return true
    }
    const ending = await terminal.type('submit', '--json')
    expect(ending.exit).toBe(exit)
    expect(ending.err).toContain(slug)
    expect(JSON.parse(ending.out)).toMatchObject({ error: { exit } })
  })

  test('CL-104 a sign-in page in place of the API is named, without the token, exit 4', async () => {
    const { terminal, api } = await desk()
    const tokens: string[] = []
    api.faults.before = (request, response) => {
      if (request.url !== '/v1/submissions') return false
      tokens.push(request.headers.authorization ?? '')
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>Sign in to the network</title>')
      return true
    }
    const ending = await terminal.type('submit')
    expect(ending.exit).toBe(4)
    expect(ending.err).toContain('POST 127.0.0.1')
    expect(ending.err).toContain('answered 200')
    expect(ending.err).toContain('Sign in to the network')
    expect(tokens[0]).toMatch(/^Bearer ey/)
    expect(ending.err).not.toContain('ey')
  })

  test('a practice run says so and brings no report', async () => {
    const { terminal, api } = await desk()
    const ending = await terminal.type('submit', '--part', 'practice', '--wait', '--json')
    expect(ending.exit).toBe(0)
    expect([...api.submissions.values()][0]?.manifest.part).toBe('practice')
    expect(JSON.parse(ending.out)).toMatchObject({ report: null })
  })

  test('predictions of another harness are submitted under their model', async () => {
    const { terminal, api, epoch } = await desk()
    const file = path.join(terminal.folder, 'preds.json')
    const records = epoch.prompts.map(({ instance_id }) => ({
      task_id: instance_id,
      solution: FIXED,
    }))
    writeFileSync(file, JSON.stringify(records))
    const ending = await terminal.type(
      'submit',
      '--predictions',
      file,
      '--model',
      'other/agent',
      '--wait',
    )
    expect(ending).toMatchObject({ exit: 0 })
    expect([...api.submissions.values()][0]?.manifest.model.name).toBe('other/agent')
    expect(ending.out).toContain('100.0 %')
  })
})

describe('failmap submit: clocks and keys', () => {
  test.each([90, -90])('CL-160 a clock that is off by %i s is accepted', async (seconds) => {
    const { terminal, api } = await desk()
    api.faults.clockErrorMs = seconds * 1000
    expect((await terminal.type('submit')).exit).toBe(0)
  })

  test.each([600, -600])(
    'CL-160 a clock that is off by %i s is named before anything is signed, exit 6',
    async (seconds) => {
      const { terminal, api } = await desk()
      terminal.clockErrorMs = seconds * 1000
      const posts: string[] = []
      api.faults.before = (request) => {
        posts.push(request.method ?? '')
        return false
      }
      const ending = await terminal.type('submit')
      expect(ending.exit).toBe(6)
      expect(ending.err).toMatch(
        /here it is \d{4}-.*Z, at the API \d{4}-.*Z: (599|600|601) s (ahead|behind)/,
      )
      expect(posts).toEqual(['GET'])
    },
  )

  test('CL-162 a slash at the end of the API address changes nothing', async () => {
    const { terminal, api } = await desk()
    terminal.env = { FAILMAP_API_URL: `${api.origin}/` }
    expect((await terminal.type('submit')).exit).toBe(0)
  })

  test('CL-164 a key that is not registered is named with the command that registers it, exit 6', async () => {
    const { terminal } = await desk()
    const other = path.join(terminal.folder, 'other.pem')
    await terminal.type('keygen', '--output', other)
    const ending = await terminal.type('submit', '--key', other)
    expect(ending.exit).toBe(6)
    expect(ending.err).toContain('failmap register')
  })

  test('CL-174 without a home folder the environment is enough', async () => {
    const { terminal, api } = await desk()
    const secret = readFileSync(path.join(terminal.home, 'key.pem'), 'utf8')
    terminal.env = {
      FAILMAP_API_URL: api.origin,
      FAILMAP_HOME: '/proc/nowhere',
      FAILMAP_KEY: secret.replaceAll('\n', '\\n'),
      FAILMAP_ORGANISATION: 'org_0123456789abcdef',
    }
    expect((await terminal.type('submit', '--wait')).exit).toBe(0)
    expect(existsSync('/proc/nowhere')).toBe(false)
  })

  test('CL-169 CL-171 the manifest that is sent is the one compact form that was signed', async () => {
    const { terminal, api } = await desk()
    const sent: unknown[] = []
    api.faults.before = (request) => {
      if (request.url === '/v1/submissions' && request.method === 'POST') {
        request.on('data', (chunk: Buffer) => sent.push(JSON.parse(chunk.toString()).manifest))
      }
      return false
    }
    await terminal.type('submit')
    const state = JSON.parse(
      readFileSync(
        path.join(listRuns(terminal.workspace)[0]?.folder ?? '', 'submission.json'),
        'utf8',
      ),
    )
    expect(sent).toEqual([state.manifest])
    expect(readKeyId(state.manifest, 'manifest')).toMatch(/^key_/)
  })
})

describe('failmap submit --predictions', () => {
  test('Ctrl-C while reading ends with 130; the same command goes on and sends all', async () => {
    const { terminal, api, epoch } = await desk({ categories: 80 })
    const file = path.join(terminal.folder, 'preds.jsonl')
    const lines = epoch.prompts.map(({ instance_id }) =>
      JSON.stringify({ instance_id, model_name_or_path: 'other', model_patch: FIXED }),
    )
    writeFileSync(file, `${lines.join('\n')}\n`)
    terminal.interrupt.abort()
    expect((await terminal.type('submit', '--predictions', file)).exit).toBe(130)
    expect(api.submissions.size).toBe(0)
    terminal.interrupt = new AbortController()
    expect((await terminal.type('submit', '--predictions', file)).exit).toBe(0)
    const [submission] = [...api.submissions.values()]
    const sent = (submission?.lines ?? []).map((line): unknown => JSON.parse(line).module)
    expect(sent).toEqual(epoch.prompts.map(() => FIXED))
    expect(listRuns(terminal.workspace)).toHaveLength(2)
  })
})
