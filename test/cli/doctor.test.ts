import { describe, expect, test } from 'vitest'
import { startFakeApi } from './fake-api.ts'
import { chat, modelServer, startFakeModelServer } from './fake-model-server.ts'
import { onEnd } from './run-fixture.ts'
import { FIXED, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'
import { putEpoch } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``
/** Ports that nothing listens on, in place of the usual ones. */
const NOWHERE = {
  OLLAMA_HOST: '127.0.0.1:9',
  VLLM_BASE_URL: 'http://127.0.0.1:9',
  LLAMA_CPP_BASE_URL: 'http://127.0.0.1:9',
  LM_STUDIO_API_BASE: 'http://127.0.0.1:9',
  SGLANG_BASE_URL: 'http://127.0.0.1:9',
}

type Finding = { topic: string; level: string; found: string; remedy?: string }

async function doctor(env: Record<string, string>, ...argv: string[]) {
  const epoch = await sampleEpoch({ categories: 8 })
  const api = await startFakeApi(epoch)
  const terminal = new Terminal()
  onEnd(() => api.close())
  onEnd(() => terminal.remove())
  terminal.env = { ...NOWHERE, FAILMAP_API_URL: api.origin, ...env }
  await putEpoch(terminal.workspace, epoch)
  const look = async () => {
    const ending = await terminal.type('doctor', '--json', ...argv)
    const { findings } = JSON.parse(ending.out) as { findings: Finding[] }
    return {
      ending,
      of: (topic: string) => findings.find((finding) => finding.topic === topic),
      findings,
    }
  }
  return { terminal, api, look }
}

describe('failmap doctor', () => {
  test('without a server it says how to start one, and ends with 1', async () => {
    const { look } = await doctor({})
    const { ending, of } = await look()
    expect(ending.exit).toBe(1)
    expect(of('server')).toMatchObject({
      level: 'bad',
      remedy: expect.stringContaining('ollama serve'),
    })
  })

  test('every finding that is not good has a remedy', async () => {
    const { look } = await doctor({ FAILMAP_PYTHON: '/nowhere/python3' })
    const { findings } = await look()
    expect(findings.filter(({ level }) => level !== 'good').length).toBeGreaterThan(2)
    for (const { level, remedy } of findings) if (level !== 'good') expect(remedy).toBeTruthy()
  })

  test('one server with one model is measured on three tasks, and a forecast is given', async () => {
    const server = await startFakeModelServer(
      modelServer('coder-7b', () =>
        chat(RIGHT, { usage: { prompt_tokens: 5, completion_tokens: 50 } }),
      ),
    )
    onEnd(() => server.close())
    const { look } = await doctor({ VLLM_BASE_URL: server.origin })
    const { of } = await look()
    expect(of('server')?.found).toContain('coder-7b')
    expect(of('speed')?.found).toMatch(/[\d.]+ tokens\/s.*\(3 tasks/)
    expect(of('forecast')?.found).toContain('32 tasks')
    expect(server.asked()).toHaveLength(3)
  })

  test('a context that is too short for the longest prompt is bad', async () => {
    const server = await startFakeModelServer(({ method }) =>
      method === 'GET' ? { body: '{"data":[{"id":"coder-7b","max_model_len":100}]}' } : chat(RIGHT),
    )
    onEnd(() => server.close())
    const { look } = await doctor({ VLLM_BASE_URL: server.origin })
    expect((await look()).of('context')).toMatchObject({
      level: 'bad',
      remedy: expect.stringContaining('--max-model-len'),
    })
  })

  test('CL-119 it prints by which route server and API are reached', async () => {
    const server = await startFakeModelServer(modelServer('coder-7b', () => chat(RIGHT)))
    onEnd(() => server.close())
    const { look } = await doctor({
      VLLM_BASE_URL: server.origin,
      HTTP_PROXY: 'http://127.0.0.1:9',
    })
    const { of } = await look()
    expect(of('route')?.found).toContain('directly')
    expect(of('api')?.found).toContain('direct')
  })

  test('CL-160 a clock that is wrong is found before anything is signed', async () => {
    const { look, terminal } = await doctor({})
    expect((await look()).of('clock')?.level).toBe('good')
    terminal.clockErrorMs = -900_000
    expect((await look()).of('clock')).toMatchObject({
      level: 'bad',
      found: expect.stringMatching(/(899|900|901) s behind/),
      remedy: expect.stringContaining('timedatectl'),
    })
  })

  test('a key that is missing, unregistered, registered is told apart', async () => {
    const { look, terminal } = await doctor({})
    expect((await look()).of('key')?.remedy).toContain('failmap keygen')
    await terminal.type('keygen')
    expect((await look()).of('key')?.remedy).toContain('failmap register')
    await terminal.type('register')
    expect((await look()).of('key')?.level).toBe('good')
  })

  test('an API that is away is told with what to do', async () => {
    const { look } = await doctor({ FAILMAP_API_URL: 'http://127.0.0.1:9' })
    expect((await look()).of('api')).toMatchObject({
      level: 'notice',
      remedy: expect.stringContaining('--api-url'),
    })
  })

  test('for people it is one line a finding, and the remedy under it', async () => {
    const { terminal } = await doctor({})
    const { out } = await terminal.type('doctor')
    expect(out).toMatch(/^ok {2}node/m)
    expect(out).toMatch(/^BAD server/m)
    expect(out).toMatch(/^ +-> start one/m)
  })
})
