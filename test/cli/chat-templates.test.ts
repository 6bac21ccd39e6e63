import { describe, expect, test } from 'vitest'
import { httpSteps } from './client-field-cases.ts'
import { chat } from './fake-model-server.ts'
import { runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'
import { isProbe } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

describe('failmap run: chat templates', () => {
  test('CL-122 the prompt is one user message unless a system message is configured', async () => {
    const fixture = await runFixture(() => chat(RIGHT))
    await fixture.run('--limit', '1')
    expect(fixture.server.asked()[1]?.body).toMatchObject({ messages: [{ role: 'user' }] })
  })

  test('CL-122 a template without system role is tried once without, and that is recorded', async () => {
    const [refused, answered] = httpSteps('CL-122')
    const fixture = await runFixture((seen) =>
      JSON.stringify(seen.body).includes('"system"') ? refused?.step : answered?.step,
    )
    const ending = await fixture.run('--system', 'You mend code.', '-j', '1', '--limit', '3')
    expect(ending.exit).toBe(0)
    const withSystem = fixture.server
      .asked()
      .filter(({ body }) => JSON.stringify(body).includes('"system"'))
    expect(withSystem).toHaveLength(1)
    expect(fixture.journal()).toContainEqual({ fact: 'template_fallback', value: true })
    expect(fixture.answers().map(({ attempts }) => attempts)).toEqual([2, 1, 1])
    for (const { body } of fixture.server.asked().slice(-3)) {
      expect(JSON.stringify(body)).toContain('"You mend code.\\n\\n')
    }
    expect(ending.err).toContain('the text goes before each prompt')
  })

  test('a server in trouble for a moment keeps its system messages', async () => {
    let asked = 0
    const fixture = await runFixture(({ body }) => {
      asked += isProbe(body) ? 0 : 1
      return asked === 1 ? { status: 500, body: '{"error":"CUDA error"}' } : chat(RIGHT)
    })
    const ending = await fixture.run('--system', 'You mend code.', '-j', '1', '--limit', '3')
    expect(ending.exit).toBe(0)
    for (const { body } of fixture.server.asked().slice(-3)) {
      expect(body).toMatchObject({ messages: [{ role: 'system' }, { role: 'user' }] })
    }
  })
})
