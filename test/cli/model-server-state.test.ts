import { describe, expect, test } from 'vitest'
import { createTransport } from '../../src/cli/model/transport.ts'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { httpSteps } from './client-field-cases.ts'
import { chat, modelServer, type Step, startFakeModelServer, stream } from './fake-model-server.ts'
import { onEnd, runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'
import { isProbe } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

describe('failmap run: a server that is not ready', () => {
  test('CL-113 503 while loading is waited out, aloud, and no task is marked', async () => {
    const posts = httpSteps('CL-113').filter(({ path }) => path.includes('completions'))
    const answers = posts.flatMap(({ times, step }) => Array<Step>(times).fill(step))
    let calls = 0
    const fixture = await runFixture(() => answers[Math.min(calls++, answers.length - 1)])
    const ending = await fixture.run('--limit', '1', '--patience', '600')
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain('still loading')
    expect(ending.err).toMatch(/next try in \d+ s, giving up in \d+ s/)
    expect(fixture.answers()).toHaveLength(1)
    expect(fixture.answers()).toMatchObject([{ reply: 'ok' }])
  })

  test('CL-113 a list of models is no proof: the first question is one token', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.run('--limit', '1')
    expect(isProbe(fixture.server.asked()[0]?.body)).toBe(true)
  })

  test('a server that asks to wait is waited for as long as it says, and no try is counted', async () => {
    let calls = 0
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return stream('ready')
      calls += 1
      return calls <= 2
        ? { status: 429, headers: { 'retry-after': '1' }, body: '{}' }
        : stream(RIGHT)
    })
    const ending = await fixture.run('--limit', '1', '--patience', '60')
    expect(ending.exit).toBe(0)
    expect(fixture.answers()).toMatchObject([{ status: 'ok', attempts: 1 }])
  })
})

describe('failmap run: a server that loads its model again', () => {
  test('is asked what it holds when it can tell, so that the run goes on', async () => {
    const props: Step = { body: '{"default_generation_settings":{"n_ctx":4096}}' }
    const loading: Step = { status: 503, body: '{"error":{"message":"Loading model"}}' }
    const fixture = await runFixture(() => chat(RIGHT))
    const serve = modelServer('coder-7b', () => chat(RIGHT))
    const whole: typeof serve = (seen, count) =>
      seen.path === '/props' ? props : serve(seen, count)
    fixture.server.answerWith(whole)
    await fixture.run('--limit', '2')
    let asked = 0
    fixture.server.answerWith((seen, count) => {
      asked += 1
      return asked <= 2 ? loading : whole(seen, count)
    })
    const ending = await fixture.run('--limit', '4', '--patience', '600')
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain('going on, 2 of 4 tasks are answered')
  })

  test('or has time to, after it wrote a reply that nobody waited for', async () => {
    const props: Step = { body: '{"default_generation_settings":{"n_ctx":4096}}' }
    const fixture = await runFixture(() => chat(RIGHT))
    const serve = modelServer('coder-7b', () => chat(RIGHT))
    let isBusy = false
    fixture.server.answerWith((seen, count) => {
      const step = seen.path === '/props' ? props : serve(seen, count)
      const delayMs = isBusy ? 5500 : 0
      isBusy = false
      return step && { ...step, delayMs }
    })
    await fixture.run('--limit', '2')
    isBusy = true
    const ending = await fixture.run('--limit', '4', '--patience', '600')
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain('loading or busy')
    expect(ending.err).toContain('going on, 2 of 4 tasks are answered')
  }, 30_000)
})

describe('failmap run: a server that dies', () => {
  test('CL-115 five failures in a row pause the run: exit 3, tasks open, resume command shown', async () => {
    const dead = httpSteps('CL-115')[0]?.step
    let tasks = 0
    const fixture = await runFixture(
      (seen) => {
        if (isProbe(seen.body)) return tasks < 9 ? chat('ready') : dead
        tasks += 1
        return tasks < 10 ? chat(RIGHT) : dead
      },
      { categories: 8 },
    )
    const ending = await fixture.run('-j', '1')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('paused')
    expect(ending.err).toContain('runner process ended')
    expect(ending.err).toContain('failmap run --base-url')
    expect(fixture.answers()).toHaveLength(9)
    expect(fixture.answers().every(({ status }) => status === 'ok')).toBe(true)
    fixture.server.answerWith(modelServer('coder-7b', () => chat(RIGHT)))
    const again = await fixture.run('-j', '1')
    expect(again.exit).toBe(0)
    expect(again.err).toContain('going on, 9 of 32 tasks are answered')
    const ids = fixture.answers().map(({ instance_id }) => instance_id)
    expect(new Set(ids).size).toBe(32)
    expect(ids).toHaveLength(32)
  })

  test('a server that goes away and comes back costs a pause and no task', async () => {
    const fixture = await runFixture(() => chat(RIGHT), { categories: 6 })
    const { port } = fixture.server
    let answered = 0
    fixture.server.answerWith(
      modelServer('coder-7b', (seen) => {
        if (!isProbe(seen.body)) answered += 1
        return answered === 5 ? { chunks: [], destroy: true } : chat(RIGHT)
      }),
    )
    const running = fixture.run('-j', '2', '--patience', '600')
    while (answered < 5) await new Promise((resolve) => setTimeout(resolve, 5))
    await fixture.server.close()
    while (!fixture.terminal.talk.includes('paused')) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const second = await startFakeModelServer(
      modelServer('coder-7b', () => chat(RIGHT)),
      '127.0.0.1',
      port,
    )
    onEnd(() => second.close())
    const ending = await running
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain('answers again')
    const ids = fixture.answers().map(({ instance_id }) => instance_id)
    expect(new Set(ids).size).toBe(24)
    expect(ids).toHaveLength(24)
  })

  test('one task that always breaks the server is given up; the others are answered', async () => {
    const fixture = await runFixture(
      (seen) =>
        JSON.stringify(seen.body).includes('-3.')
          ? { status: 500, body: '{"error":"boom"}' }
          : chat(RIGHT),
      { categories: 1 },
    )
    const ending = await fixture.run('-j', '1', '--patience', '600')
    expect(ending.exit).toBe(5)
    const statuses = fixture.answers().map(({ status, attempts }) => `${status} ${attempts}`)
    expect(statuses).toEqual(['ok 1', 'ok 1', 'backend_error 6', 'ok 1'])
    fixture.server.answerWith(modelServer('coder-7b', () => chat(RIGHT)))
    const again = await fixture.run('-j', '1')
    expect(again.exit).toBe(0)
    expect(fixture.answers()).toHaveLength(5)
  })

  test('no server at all is said before anything else happens', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.server.close()
    const ending = await fixture.run('--model', 'coder-7b', '--patience', '600')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('there is no model server at')
    expect(ending.err).toContain('failmap doctor')
    expect(ending.err).not.toContain('0/16')
    expect(listRuns(fixture.terminal.workspace)).toEqual([])
  })
})

describe('failmap run: who answers', () => {
  test('CL-117 answers of another model stop the run before the first task', async () => {
    const step = httpSteps('CL-117')[0]?.step
    const fixture = await runFixture(() => step)
    const ending = await fixture.run('--limit', '3')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('asked for coder-7b, the server answered as chat-3b')
    expect(ending.err).toContain('--accept-model chat-3b')
    expect(fixture.answers()).toEqual([])
    expect(fixture.server.asked()).toHaveLength(1)
  })

  test('CL-117 an accepted other name is kept beside the one asked for', async () => {
    const fixture = await runFixture(() => chat(RIGHT, { model: 'chat-3b' }))
    const ending = await fixture.run('--limit', '1', '--accept-model', 'chat-3b')
    expect(ending.exit).toBe(0)
    expect(fixture.journal()).toContainEqual({ fact: 'served_model', value: 'chat-3b' })
  })

  test.each([
    ['coder-7b', 'coder-7b'],
    ['coder-7b', 'Coder-7B'],
    ['coder-7b:latest', 'coder-7b'],
    ['org/coder-7b', 'coder-7b'],
    ['coder-7b.gguf', '/models/coder-7b.gguf'],
    ['coder-7b', 'coder-7b-2026-08-01'],
  ])('asked as %s and answered as %s is the same model', async (asked, served) => {
    const fixture = await runFixture(() => chat(RIGHT, { model: served }))
    expect((await fixture.run('--model', asked, '--limit', '1')).exit).toBe(0)
  })

  test.each([
    [401, '{"error":"invalid key"}', 'OPENAI_API_KEY'],
    [403, '{"error":"not for you"}', 'OPENAI_API_KEY'],
    [404, '{"error":{"message":"The model `coder-9b` does not exist."}}', 'coder-7b'],
    [404, '<html>nothing here</html>', '--base-url'],
    [405, '', '--base-url'],
    [400, '{"error":{"message":"unknown model coder-9b"}}', 'coder-7b'],
  ])('%i %s stops at once with 3 and says what to do', async (status, body, remedy) => {
    const fixture = await runFixture(() => ({ status, body }))
    const ending = await fixture.run('--model', 'coder-9b', '--patience', '600')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain(remedy)
    expect(fixture.server.asked()).toHaveLength(1)
  })

  test('a key that is revoked in the middle stops the run; what was answered stays', async () => {
    let calls = 0
    const fixture = await runFixture(() => {
      calls += 1
      return calls > 4 ? { status: 401, body: '{}' } : chat(RIGHT)
    })
    const ending = await fixture.run('-j', '1', '--patience', '600')
    expect(ending.exit).toBe(3)
    expect(fixture.answers()).toHaveLength(3)
  })
})

describe('failmap run: addresses', () => {
  test.each(['127.0.0.1', '::1'])(
    'CL-121 localhost is tried on both addresses: %s',
    async (host) => {
      const server = await startFakeModelServer(() => chat('here'), host)
      onEnd(() => server.close())
      const transport = createTransport({
        env: {},
        lookup: (_name, _options, found) =>
          found(null, [
            { address: host === '::1' ? '127.0.0.1' : '::1', family: host === '::1' ? 4 : 6 },
            { address: host, family: host === '::1' ? 6 : 4 },
          ]),
      })
      onEnd(() => transport.close())
      const url = `http://localhost:${server.port}/v1`
      const response = await transport.request(url, { method: 'GET' })
      expect(response.status).toBe(200)
      await response.discard()
    },
  )

  test('CL-121 0.0.0.0 as a target becomes 127.0.0.1 with a notice', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    const ending = await fixture.run('--base-url', `0.0.0.0:${fixture.server.port}`, '--limit', '1')
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain('127.0.0.1 instead')
  })
})
