import { describe, expect, test } from 'vitest'
import { httpSteps, section } from './client-field-cases.ts'
import { chat, type Step, stream } from './fake-model-server.ts'
import { section as replySection } from './reply-field-cases.ts'
import { runFixture } from './run-fixture.ts'
import { FAULTY, FIXED } from './sample-epoch.ts'
import { isProbe } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

/** Answers the probe well and every task by the row. */
const byRow = (id: string) => {
  const [first] = httpSteps(id)
  return (seen: { body: unknown }): Step | undefined =>
    isProbe(seen.body) ? chat('ready') : first?.step
}

describe('failmap run: reasoning that eats the answer', () => {
  test('CL-014 the limit reached while reasoning is truncated, and the code in it is never sent', async () => {
    const fixture = await runFixture(byRow('CL-014'))
    const ending = await fixture.run('--limit', '2')
    expect(ending.exit).toBe(0)
    expect(fixture.answers()).toHaveLength(2)
    for (const answer of fixture.answers()) {
      expect(answer).toMatchObject({
        status: 'truncated',
        cause: 'reasoning_budget',
        module: null,
        attempts: 1,
      })
    }
    expect(ending.out).toContain('raise --max-tokens')
  })

  test('CL-016 an answer misfiled as reasoning is empty, and the server is named as the cause', async () => {
    const fixture = await runFixture(byRow('CL-016'))
    const ending = await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([
      { status: 'empty', cause: 'reasoning_only', module: null },
    ])
    expect(ending.out).toContain('reasoning parser')
  })

  test.each(['reasoning', 'reasoning_content'])(
    'a stream that fills only %s gives no module',
    async (field) => {
      const events = [
        { choices: [{ delta: { [field]: RIGHT } }] },
        { choices: [{ delta: {}, finish_reason: 'length' }] },
      ]
      const body = `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`
      const fixture = await runFixture((seen) =>
        isProbe(seen.body) ? stream('ready') : { type: 'text/event-stream', body },
      )
      await fixture.run('--limit', '1')
      expect(fixture.answers()).toMatchObject([
        { status: 'truncated', cause: 'reasoning_budget', module: null },
      ])
    },
  )
})

describe('failmap run: replies that hold no patch', () => {
  test('CL-044 no stop string is sent, and a block that never closes is truncated for that reason', async () => {
    const fixture = await runFixture(byRow('CL-044'))
    const ending = await fixture.run('--limit', '2')
    expect(fixture.answers()).toMatchObject([
      { status: 'truncated', cause: 'unclosed_block', module: null },
      { status: 'truncated', cause: 'unclosed_block', module: null },
    ])
    expect(ending.out).toContain('stop strings')
    expect(ending.out).not.toContain('raise --max-tokens')
    for (const { body } of fixture.server.asked()) expect(body).not.toHaveProperty('stop')
  })

  test.each(['chat', 'completion'])(
    'the %s endpoint of Ollama or others gets no stop',
    async (kind) => {
      const fixture = await runFixture(() => chat(RIGHT))
      await fixture.run('--limit', '1', '--endpoint', kind)
      for (const { body } of fixture.server.asked()) {
        expect(JSON.stringify(body)).not.toMatch(/"stop/)
      }
    },
  )

  test('the same block cut off by the output limit names that limit', async () => {
    const content = '```python\nfrom typing import List'
    const cut = {
      body: JSON.stringify({ choices: [{ finish_reason: 'length', message: { content } }] }),
    }
    const fixture = await runFixture((seen) => (isProbe(seen.body) ? chat('ready') : cut))
    const ending = await fixture.run('--limit', '1')
    expect(fixture.answers()).toMatchObject([{ status: 'truncated', cause: 'max_tokens' }])
    expect(ending.out).toContain('raise --max-tokens')
  })

  test.each([
    ['prose', replySection('CL-046', 'reply'), 'no_code'],
    ['the module as it was', `\`\`\`python\n${FAULTY}\`\`\``, 'unchanged'],
    ['a placeholder', '```python\ndef width(a, b):\n    ...  # rest of code\n```', 'placeholder'],
  ])(
    'CL-046 a model that answers with %s is told after 20 answers',
    async (_name, reply, status) => {
      let count = 0
      const fixture = await runFixture(
        (seen) => {
          if (isProbe(seen.body)) return chat('ready')
          count += 1
          return chat(count % 3 === 0 ? reply : count % 3 === 1 ? reply : RIGHT)
        },
        { categories: 8 },
      )
      const ending = await fixture.run('-j', '1')
      const odd = fixture.answers().filter((answer) => answer.status !== 'ok')
      expect(new Set(odd.map((answer) => answer.status))).toEqual(new Set([status]))
      expect(ending.err.match(/does not seem to fit this model/g)).toHaveLength(1)
      expect(ending.err).toMatch(/1[0-4] of the first 20 answers/)
    },
  )

  test('CL-046 below three in ten nothing is said, and prose sends no module', async () => {
    let count = 0
    const fixture = await runFixture(
      (seen) => {
        if (isProbe(seen.body)) return chat('ready')
        count += 1
        return chat(count % 4 === 0 ? replySection('CL-046', 'reply') : RIGHT)
      },
      { categories: 8 },
    )
    const ending = await fixture.run('-j', '1')
    expect(ending.err).not.toContain('does not seem to fit')
    const none = fixture.answers().filter((answer) => answer.status === 'no_code')
    expect(none).toHaveLength(8)
    expect(none.every((answer) => answer.module === null)).toBe(true)
  })
})

describe('failmap run: prompts and answers that do not fit', () => {
  test('CL-098 a full context is not retried, and five in a row at the start end the run with 3', async () => {
    const fixture = await runFixture(byRow('CL-098'), { categories: 8 })
    const ending = await fixture.run('-j', '1')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('4095 tokens')
    expect(ending.err).toContain('limit of 4096')
    expect(ending.err).toContain('--num-ctx')
    const ids = fixture.answers().map(({ instance_id }) => instance_id)
    expect(ids).toHaveLength(5)
    expect(new Set(ids).size).toBe(5)
    fixture.server.answerWith(() => chat(RIGHT))
    const again = await fixture.run('-j', '1', '--model', 'coder-7b')
    expect(again.out).toContain('32 of 32 answered, 0 lost')
  })

  test('CL-100 a refused length is asked once more with what fits, and that limit is recorded', async () => {
    const refusal = httpSteps('CL-100')[0]?.step
    const limits: unknown[] = []
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return chat('ready')
      const { max_tokens } = seen.body as { max_tokens: number }
      limits.push(max_tokens)
      return max_tokens > 7492 ? refusal : chat(RIGHT)
    })
    const ending = await fixture.run('--limit', '1', '--max-tokens', '8000')
    expect(ending.exit).toBe(0)
    expect(limits).toEqual([8000, 8192 - 700 - 16])
    expect(fixture.answers()).toMatchObject([{ status: 'ok', max_tokens: 7476 }])
  })

  test.each([
    "This model's maximum context length is 8192 tokens. However, you requested 8700 tokens (700 in the messages, 8000 in the completion).",
    'the request exceeds the available context size: n_prompt_tokens 700, n_ctx 8192',
    'input length 700 and max_tokens 8000 exceed context limit: 8192; context length 8192',
  ])('CL-100 reads: %s', async (message) => {
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return chat('ready')
      const { max_tokens } = seen.body as { max_tokens: number }
      return max_tokens > 7492
        ? { status: 400, body: JSON.stringify({ error: { message } }) }
        : chat(RIGHT)
    })
    await fixture.run('--limit', '1', '--max-tokens', '8000')
    expect(fixture.answers()).toMatchObject([{ status: 'ok', max_tokens: 7476 }])
  })

  test('CL-100 a length that cannot be computed is the server failing, in its own words', async () => {
    const body = '{"error":{"message":"context length exceeded, sorry"}}'
    const fixture = await runFixture((seen) =>
      isProbe(seen.body) ? chat('ready') : { status: 400, body },
    )
    const ending = await fixture.run('--limit', '1')
    expect(ending.exit).toBe(5)
    expect(fixture.answers()).toMatchObject([{ status: 'backend_error', module: null }])
    expect(fixture.answers()[0]?.cause).toContain('context length exceeded, sorry')
  })
})

describe('failmap run: failures that look like success', () => {
  test('CL-102 an error event inside a stream of status 200 is never an empty answer', async () => {
    const step = { type: 'text/event-stream', body: section('CL-102', 'sse') }
    const fixture = await runFixture((seen) => (isProbe(seen.body) ? stream('ready') : step))
    const ending = await fixture.run('--limit', '1', '-j', '1')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('cannot load weights')
    expect(fixture.answers()).toEqual([])
    expect(fixture.server.asked().length).toBe(1 + 5 + 0)
  })

  test('CL-102 a data object with an error key counts the same, also without an event name', async () => {
    let calls = 0
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return stream('ready')
      calls += 1
      return calls === 1
        ? {
            type: 'text/event-stream',
            body: 'data: {"error":"slot unavailable"}\n\ndata: [DONE]\n\n',
          }
        : stream(RIGHT)
    })
    const ending = await fixture.run('--limit', '1')
    expect(ending.exit).toBe(0)
    expect(fixture.answers()).toMatchObject([{ status: 'ok', attempts: 2 }])
  })

  test.each([
    ['an empty body', { body: '' }],
    ['an empty stream', { type: 'text/event-stream', body: 'data: [DONE]\n\n' }],
    [
      'a stream that just stops',
      { type: 'text/event-stream', body: 'data: {"choices":[{"delta":{"content":"def"}}]}\n\n' },
    ],
    ['no choices', { body: '{"choices":[]}' }],
    ['half a document', { body: '{"choices":[{"mess' }],
    ['a cut connection', { type: 'text/event-stream', chunks: ['data: {"cho'], destroy: true }],
  ] satisfies [string, Step][])('%s with status 200 is asked again', async (_name, step) => {
    let calls = 0
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return stream('ready')
      calls += 1
      return calls === 1 ? step : stream(RIGHT)
    })
    expect((await fixture.run('--limit', '1')).exit).toBe(0)
    expect(fixture.answers()).toMatchObject([{ status: 'ok', attempts: 2 }])
  })

  test('CL-104 a web page in place of the model server is named with method, host and status', async () => {
    const page = '<!doctype html><title>Sign in to the network</title>'
    const fixture = await runFixture(() => ({ type: 'text/html', body: page }))
    fixture.terminal.env = { OPENAI_API_KEY: 'sk-secret-0123456789' }
    const ending = await fixture.run('--model', 'coder-7b')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain(`POST 127.0.0.1:${fixture.server.port} answered 200`)
    expect(ending.err).toContain('Sign in to the network')
    expect(ending.err).not.toContain('sk-secret')
    expect(ending.err).not.toContain('JSON.parse')
  })

  test('a key that a server quotes in its refusal is not shown', async () => {
    const fixture = await runFixture(() => ({
      status: 401,
      body: '{"error":{"message":"Incorrect API key provided: sk-secret-0123456789"}}',
    }))
    fixture.terminal.env = { OPENAI_API_KEY: 'sk-secret-0123456789' }
    const ending = await fixture.run('--model', 'coder-7b')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('Incorrect API key')
    expect(ending.err).not.toContain('sk-secret')
  })
})
