import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { readKeyId } from '../../src/protocol/compact.ts'
import { type FakeApi, startFakeApi } from './fake-api.ts'
import { onEnd } from './run-fixture.ts'
import { FAULTY, FIXED, type SampleEpoch, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'

type Desk = { terminal: Terminal; api: FakeApi; epoch: SampleEpoch }

/** A registered terminal with a pulled epoch and a run of recorded replies, every second one right. */
async function desk({ categories = 4, hasRun = true } = {}): Promise<Desk> {
  const epoch = await sampleEpoch({ categories })
  const api = await startFakeApi(epoch)
  const terminal = new Terminal()
  onEnd(() => api.close())
  onEnd(() => terminal.remove())
  terminal.env = { FAILMAP_API_URL: api.origin }
  if (hasRun) {
    for (const command of ['keygen', 'register', 'pull']) {
      const ending = await terminal.type(command)
      expect(ending).toMatchObject({ exit: 0 })
    }
    const replies = path.join(terminal.folder, 'replies.jsonl')
    const lines = epoch.prompts.map(({ instance_id }, at) =>
      JSON.stringify({ instance_id, reply: `\`\`\`python\n${at % 2 ? FIXED : FAULTY}\`\`\`` }),
    )
    writeFileSync(replies, `${lines.join('\n')}\n`)
    expect(await terminal.type('run', '--replies', replies, '--model', 'my agent')).toMatchObject({
      exit: 0,
    })
  }
  return { terminal, api, epoch }
}

const cut = (_request: unknown, response: { destroy: () => void }) => {
  response.destroy()
  return true
}

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

describe('failmap watch', () => {
  test('what a submission ended with is said once', async () => {
    const { terminal } = await desk()
    for (const argv of [['submit', '--wait'], ['watch']]) {
      const { out, err } = await terminal.type(...argv)
      expect(`${err}${out}`.match(/sub_[0-9a-f]{40} {2}scored/g)).toHaveLength(1)
    }
  })

  test('Ctrl-C ends it with 130 and the command that goes on', async () => {
    const { terminal, api } = await desk()
    await terminal.type('submit')
    for (const submission of api.submissions.values()) submission.state = 'judging'
    const watching = terminal.type('watch')
    while (!terminal.talk.includes('judging')) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    terminal.interrupt.abort()
    const { exit, out, err } = await watching
    expect(exit).toBe(130)
    expect(`${out}${err}`).toMatch(/next: failmap watch|the same command goes on/)
  })
})

describe('failmap cancel', () => {
  test('withdraws what has not arrived; the run stays and can be submitted anew', async () => {
    const { terminal, api } = await desk()
    api.faults.before = (request, response) => request.method === 'PUT' && cut(request, response)
    expect((await terminal.type('submit')).exit).toBe(4)
    delete api.faults.before
    const ending = await terminal.type('cancel', '--json')
    expect(ending.exit).toBe(0)
    expect(JSON.parse(ending.out)).toMatchObject({ state: 'cancelled' })
    expect((await terminal.type('submit', '--wait')).exit).toBe(0)
    expect([...api.submissions.values()].map(({ state }) => state)).toEqual(['cancelled', 'scored'])
  })

  test('what is being judged cannot be withdrawn, under the name of sb-cli too', async () => {
    const { terminal } = await desk()
    await terminal.type('submit')
    const ending = await terminal.type('delete-run')
    expect(ending.exit).toBe(1)
    expect(ending.err).toContain('submission-state')
    expect((await terminal.type('status')).exit).toBe(0)
  })
})

describe('failmap pull', () => {
  test('takes the epoch as argument or as option, and refuses two of them', async () => {
    const { terminal } = await desk()
    expect((await terminal.type('pull', 'open-2026-11')).exit).toBe(0)
    expect((await terminal.type('pull', '--epoch', 'open-2026-11')).exit).toBe(0)
    const both = await terminal.type('pull', 'open-2026-11', '--epoch', 'open-2026-12')
    expect(both.exit).toBe(2)
    expect(both.err).toContain('which epoch')
  })
})

describe('failmap report', () => {
  test('the same report is kept once; one that differs never replaces it', async () => {
    const { terminal } = await desk()
    await terminal.type('submit', '--wait')
    await terminal.type('report')
    const run = listRuns(terminal.workspace)[0]?.id ?? ''
    const folder = path.join(terminal.workspace, 'reports')
    const kept = ['.json', '.jwks.json', '.jws']
    expect(readdirSync(folder).sort()).toEqual(kept.map((extension) => `${run}${extension}`))
    writeFileSync(path.join(folder, `${run}.json`), 'mine')
    expect((await terminal.type('report')).out).toContain(`${run}-1.jws`)
    expect(readFileSync(path.join(folder, `${run}.json`), 'utf8')).toBe('mine')
    const all = kept.flatMap((extension) => [`${run}-1${extension}`, `${run}${extension}`])
    expect(readdirSync(folder).sort()).toEqual(all.sort())
    expect((await terminal.type('verify')).exit).toBe(0)
  })

  test('before anything was submitted it says what to do', async () => {
    const { terminal } = await desk()
    const ending = await terminal.type('get-report')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('next: failmap submit')
  })
})

describe('failmap verify', () => {
  const signed = async () => {
    const { terminal } = await desk()
    await terminal.type('submit', '--wait')
    const folder = path.join(terminal.workspace, 'reports')
    const run = listRuns(terminal.workspace)[0]?.id ?? ''
    return {
      terminal,
      jws: path.join(folder, `${run}.jws`),
      jwks: path.join(folder, `${run}.jwks.json`),
    }
  }

  test('checks a report without network and says what was checked', async () => {
    const { terminal, jws, jwks } = await signed()
    terminal.env = { FAILMAP_API_URL: 'http://127.0.0.1:9' }
    const ending = await terminal.type('verify', jws, '--jwks', jwks)
    expect(ending.exit).toBe(0)
    expect(ending.out).toMatch(/^verified\n/)
    expect(ending.out).toContain('commitment')
  })

  test('one flipped character is refused with 1', async () => {
    const { terminal, jws, jwks } = await signed()
    const text = readFileSync(jws, 'utf8')
    for (const at of [10, Math.floor(text.length / 2), text.length - 10]) {
      const flipped = text[at] === 'A' ? 'B' : 'A'
      writeFileSync(jws, text.slice(0, at) + flipped + text.slice(at + 1))
      expect((await terminal.type('verify', jws, '--jwks', jwks)).exit).toBe(1)
    }
  })

  test('keys of somebody else do not verify it', async () => {
    const { terminal, jws } = await signed()
    const other = await signed()
    const ending = await terminal.type('verify', jws, '--jwks', other.jwks)
    expect(ending.exit).toBe(1)
    expect(ending.err).toContain('No listed key')
  })

  test.each([
    [{ policy: 1, overall: { fixed_at_least: 0.4 } }, 0],
    [{ policy: 1, overall: { fixed_at_least: 0.7 } }, 1],
    [{ policy: 1, compare: 'interval', overall: { fixed_at_least: 0.4 } }, 1],
    [{ policy: 1, overall: { gap_at_most: 0 } }, 0],
    [{ policy: 1, domains: { 'sequence-boundaries': { regressed_at_most: 0.1 } } }, 0],
    [{ policy: 1, domains: { 'numbers-money': { fixed_at_least: 0 } } }, 1],
    [{ policy: 1, epoch: 'another-epoch' }, 1],
    [{ policy: 1, surprise: true }, 2],
    [{}, 2],
  ])('the policy %j ends with %i', async (policy, exit) => {
    const { terminal, jws, jwks } = await signed()
    const file = path.join(terminal.folder, 'policy.json')
    writeFileSync(file, JSON.stringify(policy))
    const ending = await terminal.type('verify', jws, '--jwks', jwks, '--policy', file, '--json')
    expect(ending.exit).toBe(exit)
  })
})
