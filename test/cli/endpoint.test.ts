import { describe, expect, test } from 'vitest'
import { normaliseBaseUrl } from '../../src/cli/model/base-url.ts'
import { isSameModel, resolveEndpoint } from '../../src/cli/model/endpoint.ts'
import { quantisationInName } from '../../src/cli/model/identity.ts'
import { planBudget } from '../../src/cli/run/budget.ts'
import { readParameters } from '../../src/cli/submit/model-card.ts'

describe('normaliseBaseUrl', () => {
  test.each([
    ['http://127.0.0.1:8000/v1', 'http://127.0.0.1:8000/v1'],
    ['http://127.0.0.1:8000', 'http://127.0.0.1:8000/v1'],
    ['http://127.0.0.1:8000/', 'http://127.0.0.1:8000/v1'],
    ['http://127.0.0.1:8000//v1//', 'http://127.0.0.1:8000/v1'],
    ['127.0.0.1:8000', 'http://127.0.0.1:8000/v1'],
    ['localhost:8000', 'http://localhost:8000/v1'],
    [':8000', 'http://127.0.0.1:8000/v1'],
    ['  http://gpu:8000/v1 ', 'http://gpu:8000/v1'],
    ['http://gpu:8000/v1/chat/completions', 'http://gpu:8000/v1'],
    ['http://gpu:8000/v1/completions/', 'http://gpu:8000/v1'],
    ['http://gpu:8000/v1/models', 'http://gpu:8000/v1'],
    ['http://gpu:8000/chat/completions', 'http://gpu:8000/v1'],
    ['https://openrouter.example/api', 'https://openrouter.example/api/v1'],
    ['https://google.example/v1beta/openai/', 'https://google.example/v1beta/openai'],
    ['http://[::1]:8000', 'http://[::1]:8000/v1'],
    ['http://0.0.0.0:8000', 'http://127.0.0.1:8000/v1'],
    ['http://[::]:8000', 'http://[::1]:8000/v1'],
    ['HTTP://GPU:8000/V1', 'http://gpu:8000/V1'],
    ['http://gpu:8000/v1?key=1#top', 'http://gpu:8000/v1'],
  ])('%s is %s', (text, url) => {
    expect(normaliseBaseUrl(text, 'openai')?.url).toBe(url)
  })

  test.each([
    ['127.0.0.1', 'http://127.0.0.1:11434'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['gpu:9999', 'http://gpu:9999'],
    ['http://gpu:11434/v1', 'http://gpu:11434'],
    ['http://gpu:11434/api', 'http://gpu:11434'],
    ['http://gpu:11434/api/chat', 'http://gpu:11434'],
    ['http://gpu:11434/v1/chat/completions', 'http://gpu:11434'],
    ['https://ollama.example', 'https://ollama.example'],
  ])('for Ollama %s is %s', (text, url) => {
    expect(normaliseBaseUrl(text, 'ollama', 11434)?.url).toBe(url)
  })

  test.each(['', 'ftp://gpu', 'http://', 'http://gpu:99999', 'unix:///run/llama.sock'])(
    '%j is no address',
    (text) => {
      expect(normaliseBaseUrl(text, 'openai')).toBeNull()
    },
  )

  test('a user and password in the address become a header and leave the address', () => {
    const base = normaliseBaseUrl('https://me:p%40ss@gpu.example/v1', 'openai')
    expect(base).toMatchObject({
      url: 'https://gpu.example/v1',
      authorization: `Basic ${btoa('me:p@ss')}`,
    })
  })
})

describe('resolveEndpoint', () => {
  test.each([
    ['ollama/qwen2.5-coder:7b', 'ollama', 'qwen2.5-coder:7b', 'http://127.0.0.1:11434'],
    ['vllm/Qwen/Qwen2.5-Coder-7B', 'chat', 'Qwen/Qwen2.5-Coder-7B', 'http://127.0.0.1:8000/v1'],
    ['llama-cpp/model-Q4_K_M.gguf', 'chat', 'model-Q4_K_M.gguf', 'http://127.0.0.1:8080/v1'],
    ['lm-studio/qwen', 'chat', 'qwen', 'http://127.0.0.1:1234/v1'],
    ['sglang/qwen', 'chat', 'qwen', 'http://127.0.0.1:30000/v1'],
  ])('%s is asked in its own way at its usual port', (model, dialect, name, baseUrl) => {
    const endpoint = resolveEndpoint({ model }, {})
    expect(endpoint).toMatchObject({ model: name, baseUrl })
    expect(endpoint.dialect.name).toBe(dialect)
  })

  test.each([
    ['ollama/q', { OLLAMA_HOST: 'gpu' }, 'http://gpu:11434'],
    ['ollama/q', { OLLAMA_BASE_URL: 'http://a:1', OLLAMA_HOST: 'b' }, 'http://a:1'],
    ['ollama/q', { OLLAMA_API_BASE: 'http://a:2' }, 'http://a:2'],
    ['ollama/q', { OPENAI_BASE_URL: 'http://other' }, 'http://127.0.0.1:11434'],
    ['vllm/q', { VLLM_BASE_URL: 'http://a:3/v1' }, 'http://a:3/v1'],
    ['llama-cpp/q', { LLAMA_CPP_PYTHON_BASE_URL: 'http://a:4' }, 'http://a:4/v1'],
    ['lm-studio/q', { LM_STUDIO_API_BASE: 'http://a:5/v1' }, 'http://a:5/v1'],
    ['q', { OPENAI_BASE_URL: 'http://a:6/v1' }, 'http://a:6/v1'],
    ['q', { OPENAI_API_BASE: 'http://a:7/v1' }, 'http://a:7/v1'],
    ['openai-api/acme/q/r', { ACME_BASE_URL: 'https://acme.example' }, 'https://acme.example/v1'],
  ])('%s with %j is at %s', (model, env, baseUrl) => {
    expect(resolveEndpoint({ model }, env).baseUrl).toBe(baseUrl)
  })

  test('a flag beats the environment, and a forced endpoint beats the native one', () => {
    const wish = { model: 'ollama/q', baseUrl: 'http://flag:1', endpoint: 'chat' } as const
    const endpoint = resolveEndpoint(wish, { OLLAMA_HOST: 'env' })
    expect(endpoint.baseUrl).toBe('http://flag:1/v1')
    expect(endpoint.dialect.name).toBe('chat')
  })

  test('the key of a provider goes to that provider, and none is sent where none is set', () => {
    const env = {
      OPENAI_API_KEY: 'for-openai',
      ACME_API_KEY: 'for-acme',
      ACME_BASE_URL: 'http://a',
    }
    expect(resolveEndpoint({ model: 'openai-api/acme/q' }, env).headers).toEqual({
      authorization: 'Bearer for-acme',
    })
    expect(resolveEndpoint({ model: 'ollama/q' }, env).headers).toEqual({})
    expect(resolveEndpoint({ model: 'vllm/q' }, {}).headers).toEqual({})
  })

  test('a name without any address is a usage failure that names doctor', () => {
    expect(() => resolveEndpoint({ model: 'q' }, {})).toThrow(/no address/)
  })
})

describe('isSameModel', () => {
  test.each([
    ['qwen:7b', 'qwen:14b'],
    ['coder', 'coder-instruct'],
    ['gpt-4o', 'gpt-4o-mini'],
    ['coder-7b', 'chat-3b'],
  ])('%s is not %s', (asked, served) => {
    expect(isSameModel(asked, served)).toBe(false)
  })

  test('a file in several parts is its model', () => {
    expect(isSameModel('coder-00001-of-00003.gguf', 'coder.gguf')).toBe(true)
  })
})

describe('facts in names', () => {
  test.each([
    ['qwen2.5-coder-7b-instruct-q4_k_m.gguf', 'q4_k_m'],
    ['model.IQ3_XXS.gguf', 'IQ3_XXS'],
    ['model-BF16', 'BF16'],
    ['model-7b', null],
  ])('the quantisation of %s is %s', (name, found) => {
    expect(quantisationInName(name)).toBe(found)
  })

  test.each([
    ['7.6B', 7_600_000_000],
    ['135M', 135_000_000],
    ['7615616512', 7_615_616_512],
    ['unknown', null],
    [null, null],
  ])('%s parameters are %s', (text, count) => {
    expect(readParameters(text)).toBe(count)
  })
})

describe('planBudget', () => {
  const wish = {
    longestPromptBytes: 2799,
    maxTokens: null,
    numCtx: null,
    contextLength: null,
    choosesContext: false,
  }

  test('without any knowledge the default limit is sent', () => {
    expect(planBudget(wish)).toEqual({ maxTokens: 8192, numCtx: null, notices: [] })
  })

  test('a small context leaves what the longest prompt does not need', () => {
    expect(planBudget({ ...wish, contextLength: 4096 }).maxTokens).toBe(4096 - 1064)
  })

  test('a context that is too small is told, and something is still asked for', () => {
    const budget = planBudget({ ...wish, contextLength: 1200 })
    expect(budget.maxTokens).toBe(256)
    expect(budget.notices[0]).toContain('1064 tokens')
  })

  test('Ollama is asked for a context that holds prompt and answer, within what the model can', () => {
    expect(planBudget({ ...wish, choosesContext: true }).numCtx).toBe(10240)
    expect(planBudget({ ...wish, choosesContext: true, contextLength: 4096 })).toMatchObject({
      numCtx: 4096,
      maxTokens: 3032,
    })
    expect(planBudget({ ...wish, choosesContext: true, numCtx: 2048 }).numCtx).toBe(2048)
  })
})
