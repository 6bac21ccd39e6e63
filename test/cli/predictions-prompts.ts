import type { Prompt } from '../../src/protocol/prompt.ts'
import { WIDTH } from './reply-field-cases.ts'

/** Two tasks of one category around the faulty `width`. */
export const PROMPTS: ReadonlyMap<string, Prompt> = new Map(
  [1, 2].map((number) => {
    const instance_id = `failmap__ttl-off-by-one-unit-${number}`
    const prompt: Prompt = {
      instance_id,
      domain: 'caching-expiry',
      category: 'ttl-off-by-one-unit',
      part: 'sealed',
      entry_point: 'width',
      contract: ['width(a, b) is the distance of a and b'],
      module: WIDTH,
      visible: [],
      prompt: 'Fix the module.',
      prompt_version: 1,
    }
    return [instance_id, prompt]
  }),
)

export const FIRST = 'failmap__ttl-off-by-one-unit-1'
export const SECOND = 'failmap__ttl-off-by-one-unit-2'
