import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readAnswerPart } from '../../src/cli/model/openai-answer.ts'

/** The same rules as a schema: slower, and plain to see. */
const text = z.string().nullish().catch(null)
const count = z.number().nullish().catch(null)
const message = z
  .object({
    content: z
      .union([
        z.string(),
        z
          .array(z.object({ text: z.string().optional() }))
          .transform((parts) => parts.map((part) => part.text ?? '').join('')),
      ])
      .nullish()
      .catch(null),
    reasoning: text,
    reasoning_content: text,
    tool_calls: z.array(z.unknown()).nullish().catch(null),
  })
  .nullish()
const schema = z.object({
  model: text,
  choices: z.array(z.object({ index: count, finish_reason: text, text, message, delta: message })),
  usage: z.object({ prompt_tokens: count, completion_tokens: count }).nullish().catch(null),
})

function bySchema(value: unknown) {
  const parsed = schema.safeParse(value)
  if (!parsed.success) return null
  const { model, choices, usage } = parsed.data
  const promptTokens = usage?.prompt_tokens ?? null
  const completionTokens = usage?.completion_tokens ?? null
  return {
    model: model ?? null,
    usage:
      promptTokens === null && completionTokens === null
        ? null
        : { promptTokens, completionTokens },
    said: choices.map((choice) => {
      const said = choice.message ?? choice.delta
      return {
        number: choice.index ?? null,
        content: said?.content ?? choice.text ?? null,
        reasoning: said?.reasoning ?? said?.reasoning_content ?? null,
        finishReason: choice.finish_reason ?? null,
        callsTools: (said?.tool_calls ?? []).length > 0,
      }
    }),
  }
}

/** Mostly what servers send, often of an odd type, sometimes missing. */
const odd = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined))
const orOdd = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd })
const fields = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { requiredKeys: [] })
const part = fields({ type: fc.constant('text'), text: orOdd(fc.string()) })
const anyMessage = fields({
  content: orOdd(fc.oneof(fc.string(), fc.constant(null), fc.array(orOdd(part)))),
  reasoning: orOdd(fc.string()),
  reasoning_content: orOdd(fc.string()),
  tool_calls: orOdd(fc.array(fc.jsonValue())),
})
const anyChoice = fields({
  index: orOdd(fc.nat({ max: 2 })),
  finish_reason: orOdd(fc.constantFrom('stop', 'length', null)),
  text: orOdd(fc.string()),
  message: orOdd(anyMessage),
  delta: orOdd(anyMessage),
})
const anyAnswer = fields({
  model: orOdd(fc.string()),
  choices: orOdd(fc.array(orOdd(anyChoice), { maxLength: 3 })),
  usage: orOdd(fields({ prompt_tokens: orOdd(fc.nat()), completion_tokens: orOdd(fc.double()) })),
})

describe('readAnswerPart', () => {
  test('reads what a schema of the same rules reads', () => {
    fc.assert(
      fc.property(orOdd(anyAnswer), (value) => {
        expect(readAnswerPart(value)).toEqual(bySchema(value))
      }),
      { numRuns: 3000 },
    )
  })
})
