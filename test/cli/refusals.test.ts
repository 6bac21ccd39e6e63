import { describe, expect, test } from 'vitest'
import { chat, type Step, stream } from './fake-model-server.ts'
import { runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'
import { isProbe } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

describe('failmap run: a server that refuses', () => {
  test.each([301, 307, 308])('a redirect (%i) ends the run and is named', async (status) => {
    const location = 'https://models.example/v1/chat/completions'
    const fixture = await runFixture(() => ({ status, headers: { location }, body: '' }))
    const ending = await fixture.run('--patience', '600')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain(`a redirect to ${location}`)
    expect(fixture.server.asked()).toHaveLength(1)
  })

  test('every request refused: the run ends after a few, without waiting', async () => {
    const refusal: Step = { status: 400, body: '{"error":{"message":"unknown field seed"}}' }
    const fixture = await runFixture(() => refusal)
    const ending = await fixture.run('--patience', '600', '-j', '1')
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('unknown field seed')
    expect(fixture.server.asked().length).toBeLessThan(10)
  })

  test('a refused one-token question says nothing about the tasks', async () => {
    const fixture = await runFixture((seen) =>
      isProbe(seen.body)
        ? { status: 400, body: '{"error":{"message":"max_tokens must be at least 16"}}' }
        : chat(RIGHT),
    )
    const ending = await fixture.run('--limit', '2', '--patience', '600')
    expect(ending.exit).toBe(0)
    expect(fixture.answers()).toMatchObject([{ status: 'ok' }, { status: 'ok' }])
  })
})

describe('failmap run: a server that says when to come back', () => {
  test('at once means a second, not a storm of questions', async () => {
    let calls = 0
    const fixture = await runFixture(() => {
      calls += 1
      return calls <= 2
        ? { status: 429, headers: { 'retry-after': '0' }, body: '{}' }
        : stream(RIGHT)
    })
    const ending = await fixture.run('--limit', '1', '--patience', '600')
    expect(ending.exit).toBe(0)
    expect(ending.err).toContain('next try in 1 s')
  })

  test('tomorrow is told, and waited for no longer than patience lasts', async () => {
    let calls = 0
    const fixture = await runFixture((seen) => {
      if (isProbe(seen.body)) return stream('ready')
      calls += 1
      return calls === 2
        ? { status: 500, headers: { 'retry-after': '86400' }, body: '{"error":"overloaded"}' }
        : stream(RIGHT)
    })
    const ending = await fixture.run('--limit', '3', '-j', '1', '--patience', '2')
    expect(ending).toMatchObject({ exit: 0 })
    expect(ending.err).toContain('overloaded')
    expect(fixture.answers()).toMatchObject([{ status: 'ok' }, { status: 'ok' }, { status: 'ok' }])
  })
})
