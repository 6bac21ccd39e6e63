import { describe, expect, test } from 'vitest'
import { toModelCard } from '../../src/cli/submit/model-card.ts'
import { Journal } from '../../src/cli/workspace/journal.ts'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { modelCardSchema } from '../../src/protocol/manifest.ts'
import { type Seen, type Step, startFakeModelServer } from './fake-model-server.ts'
import { onEnd } from './run-fixture.ts'
import { FIXED, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'
import { putEpoch } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``
const WEIGHTS = 'ab'.repeat(32)
const DIGEST = 'cd'.repeat(32)

const json = (value: unknown): Step => ({ body: JSON.stringify(value) })

/** Ollama as it answers: its own API, streaming lines of JSON. */
function ollama({ path, body }: Seen): Step | undefined {
  if (path === '/api/version') return json({ version: '0.9.1' })
  if (path === '/api/tags') {
    return json({ models: [{ name: 'coder:7b', model: 'coder:7b', digest: DIGEST }] })
  }
  if (path === '/api/show') {
    return json({
      modelfile: `# Modelfile\nFROM /root/.ollama/models/blobs/sha256-${WEIGHTS}\n`,
      details: { parameter_size: '7.6B', quantization_level: 'Q4_K_M' },
      model_info: { 'qwen2.context_length': 32768 },
    })
  }
  if (path !== '/api/chat') return undefined
  const { model } = body as { model: string }
  const lines = [
    { model, message: { role: 'assistant', content: '', thinking: 'Let me see.' }, done: false },
    { model, message: { role: 'assistant', content: RIGHT }, done: false },
    {
      model,
      message: { content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 9,
      eval_count: 4,
    },
  ]
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const bytes = Buffer.from(text)
  return {
    type: 'application/x-ndjson',
    chunks: [bytes.subarray(0, 40), bytes.subarray(40, 41), bytes.subarray(41)],
  }
}

/** What the server says under each name, and how its chat answers. */
const SERVERS: [string, string, (seen: Seen) => Step | undefined, Record<string, unknown>][] = [
  [
    'Ollama',
    'ollama/coder:7b',
    ollama,
    {
      name: 'ollama/coder:7b',
      provider: 'ollama',
      server: { name: 'ollama', version: '0.9.1' },
      parameters: 7_600_000_000,
      quantisation: 'Q4_K_M',
      weights_sha256: WEIGHTS,
    },
  ],
  [
    'llama.cpp',
    'llama-cpp/coder-Q5_K_M.gguf',
    openAi('coder-Q5_K_M.gguf', {
      '/v1/models': { data: [{ id: 'coder-Q5_K_M.gguf', meta: { n_params: 7615616512 } }] },
      '/props': {
        model_path: '/models/coder-Q5_K_M.gguf',
        build_info: 'b9999-abcdef',
        default_generation_settings: { n_ctx: 16384 },
      },
    }),
    {
      name: 'llama-cpp/coder-Q5_K_M.gguf',
      server: { name: 'llama.cpp', version: 'b9999-abcdef' },
      quantisation: 'Q5_K_M',
      context_length: 16384,
      parameters: 7_620_000_000,
    },
  ],
  [
    'vLLM',
    'vllm/acme/coder',
    openAi('acme/coder', {
      '/v1/models': { data: [{ id: 'acme/coder', max_model_len: 8192 }] },
      '/version': { version: '0.14.0' },
    }),
    { name: 'vllm/acme/coder', server: { name: 'vllm', version: '0.14.0' }, context_length: 8192 },
  ],
  [
    'LM Studio',
    'lm-studio/coder',
    openAi('coder', {
      '/v1/models': { data: [{ id: 'coder' }, { id: 'other' }] },
      '/api/v0/models': {
        data: [{ id: 'coder', quantization: '4bit', loaded_context_length: 4096 }],
      },
    }),
    { quantisation: '4bit', context_length: 4096 },
  ],
  [
    'SGLang',
    'sglang/coder',
    openAi('coder', {
      '/v1/models': { data: [{ id: 'coder' }] },
      '/get_server_info': { version: '0.5.2', context_length: 8192 },
    }),
    { server: { name: 'sglang', version: '0.5.2' }, context_length: 8192 },
  ],
]

function openAi(model: string, pages: Record<string, unknown>) {
  return ({ method, path }: Seen): Step | undefined => {
    if (method === 'GET') return path in pages ? json(pages[path]) : undefined
    if (path !== '/v1/chat/completions') return undefined
    const choices = [{ finish_reason: 'stop', message: { content: RIGHT } }]
    return json({ model, choices })
  }
}

async function runAgainst(
  model: string,
  answer: (seen: Seen) => Step | undefined,
  ...more: string[]
) {
  const terminal = new Terminal()
  onEnd(() => terminal.remove())
  await putEpoch(terminal.workspace, await sampleEpoch({ categories: 1 }))
  const server = await startFakeModelServer(answer)
  onEnd(() => server.close())
  const ending = await terminal.type('run', '--model', model, '--base-url', server.origin, ...more)
  return { terminal, server, ending }
}

function newestJournal(terminal: Terminal): Journal {
  const journal = Journal.open(listRuns(terminal.workspace).at(-1)?.folder ?? '')
  if (journal === null) throw new Error('no journal')
  onEnd(() => journal.close())
  return journal
}

describe('failmap run with each kind of server', () => {
  test.each(SERVERS)(
    '%s: the answers come, and what it says of its model is signed',
    async (_name, model, answer, card) => {
      const { terminal, ending } = await runAgainst(model, answer)
      expect(ending).toMatchObject({ exit: 0 })
      const journal = newestJournal(terminal)
      expect(journal.counts()).toEqual({ ok: 4 })
      const stated = toModelCard(journal)
      expect(modelCardSchema.safeParse(stated).success).toBe(true)
      expect(stated).toMatchObject(card)
    },
  )

  test('Ollama is told the context length, the limit and the seed with each request', async () => {
    const { terminal, server } = await runAgainst('ollama/coder:7b', ollama, '--seed', '7')
    const asked = server.asked().slice(1)
    expect(asked).toHaveLength(4)
    const { num_ctx, max_tokens, model_digest } = newestJournal(terminal).header.settings
    expect(num_ctx).toBeGreaterThan(1000)
    expect(model_digest).toBe(`sha256:${DIGEST}`)
    for (const { body } of asked) {
      expect(body).toMatchObject({
        options: { num_ctx, num_predict: max_tokens, seed: 7, temperature: 0 },
      })
    }
    expect(
      newestJournal(terminal).read([...newestJournal(terminal).instanceIds()][0] ?? ''),
    ).toMatchObject({
      usage: { prompt_tokens: 9, completion_tokens: 4 },
      reasoning_characters: 11,
    })
  })

  test('Ollama without the model says so with 3 and lists what there is', async () => {
    const { ending } = await runAgainst('ollama/coder:70b', (seen) =>
      seen.path === '/api/chat'
        ? { status: 404, body: '{"error":"model \\"coder:70b\\" not found, try pulling it first"}' }
        : ollama(seen),
    )
    expect(ending.exit).toBe(3)
    expect(ending.err).toContain('coder:7b')
  })

  test('other weights under the same name begin a new run', async () => {
    const { terminal, server } = await runAgainst('ollama/coder:7b', ollama, '--limit', '2')
    server.answerWith((seen) =>
      seen.path === '/api/tags'
        ? json({ models: [{ name: 'coder:7b', digest: 'ef'.repeat(32) }] })
        : ollama(seen),
    )
    await terminal.type(
      'run',
      '--model',
      'ollama/coder:7b',
      '--base-url',
      server.origin,
      '--limit',
      '2',
    )
    expect(listRuns(terminal.workspace)).toHaveLength(2)
  })

  test('the completion endpoint is asked with the bare prompt', async () => {
    const { server, ending } = await runAgainst(
      'vllm/base',
      ({ method, path }) => {
        if (method === 'GET') return json({ data: [{ id: 'base' }] })
        return path === '/v1/completions'
          ? json({ choices: [{ text: RIGHT, finish_reason: 'stop' }] })
          : undefined
      },
      '--endpoint',
      'completion',
    )
    expect(ending.exit).toBe(0)
    expect(server.asked()[1]?.body).toMatchObject({ prompt: expect.stringContaining('Mend this') })
  })

  test('a server with several models and none named lists them, exit 2', async () => {
    const { ending } = await runAgainst('vllm/', ({ method }) =>
      method === 'GET' ? json({ data: [{ id: 'one' }, { id: 'two' }] }) : undefined,
    )
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('one, two')
  })
})
