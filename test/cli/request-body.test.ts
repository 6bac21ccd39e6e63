import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Asker } from '../../src/cli/model/asker.ts'
import { bodyTemplate } from '../../src/cli/model/body-template.ts'
import type { Message } from '../../src/cli/model/dialect.ts'
import { ollamaDialect } from '../../src/cli/model/ollama-dialect.ts'
import { chatDialect, completionDialect } from '../../src/cli/model/openai-dialect.ts'
import { ServerWatch } from '../../src/cli/model/server-watch.ts'
import { anyText } from './text.ts'

const insideOf = (text: string) => Buffer.from(JSON.stringify(text).slice(1, -1))

const shape = fc.record({
  dialect: fc.constantFrom(chatDialect, completionDialect, ollamaDialect),
  model: anyText,
  system: fc.option(anyText),
  stream: fc.boolean(),
  numCtx: fc.option(fc.nat()),
  prompts: fc.array(anyText, { minLength: 1, maxLength: 4 }),
  maxTokens: fc.array(fc.nat(), { minLength: 1, maxLength: 2 }),
})
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

function encoderOf({ dialect, model, stream, numCtx }: Shape) {
  const sampling = { temperature: 0, seed: 0, topP: null }
  return (messages: Message[], maxTokens: number) =>
    Buffer.from(
      JSON.stringify(dialect.body({ model, messages, maxTokens, sampling, numCtx, stream })),
    )
}

function askerOf(
  encode: ReturnType<typeof encoderOf>,
  system: string | null,
  hasSystemRole: boolean,
): Asker {
  const nothing = async () => ({ ok: false, error: { kind: 'interrupted', message: '' } }) as const
  const common = { sleep: async () => {}, random: () => 0, now: () => 0 }
  const watch = new ServerWatch({
    ...common,
    probe: nothing,
    patienceMs: 0,
    tell: () => {},
    interrupted: new AbortController().signal,
    resumeCommand: '',
  })
  return new Asker({
    ...common,
    watch,
    encode,
    call: nothing,
    system,
    hasSystemRole,
    onTemplateFallback: () => {},
  })
}

describe('Asker.prepare', () => {
  test('makes the very bytes that encoding the whole request makes, for any texts', () => {
    fc.assert(
      fc.property(shape, fc.boolean(), (drawn, hasSystemRole) => {
        const encode = encoderOf(drawn)
        const asker = askerOf(encode, drawn.system, hasSystemRole)
        for (const prompt of drawn.prompts) {
          for (const maxTokens of drawn.maxTokens) {
            const { system } = drawn
            const before = system === null || hasSystemRole ? '' : `${system}\n\n`
            const user: Message = { role: 'user', content: before + prompt }
            const messages: Message[] =
              system === null || !hasSystemRole
                ? [user]
                : [{ role: 'system', content: system }, user]
            const { body, prompt: kept } = asker.prepare(insideOf(prompt), maxTokens)
            expect(Buffer.from(body).toString()).toBe(encode(messages, maxTokens).toString())
            // What a later try with other limits begins with.
            expect(Buffer.from(kept)).toEqual(insideOf(prompt))
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('bodyTemplate', () => {
  test('a text around the prompt may look like the place of the prompt', () => {
    const { head, tail } = bodyTemplate((prompt) => Buffer.from(`<prompt 1> ${prompt} <prompt 3>`))
    expect(Buffer.concat([head, Buffer.from('P'), tail]).toString()).toBe('<prompt 1> P <prompt 3>')
  })
})
