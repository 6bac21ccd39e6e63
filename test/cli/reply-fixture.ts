import { type ReplyContext, replyToModule } from '../../src/cli/model/reply.ts'
import { WIDTH, WIDTH_FIXED } from './reply-field-cases.ts'

export const BASE = `import math

LIMIT = 3


def area(a, b):
    return a * b


def width(a, b):
    c = b - a
    return c
`
export const FIXED = BASE.replace('c = b - a', 'c = abs(b - a)')

export const fence = (code: string, tag = 'python') => `\`\`\`${tag}\n${code}\`\`\`\n`
export const read = (reply: string, context: Partial<ReplyContext> = {}) =>
  replyToModule(reply, { module: WIDTH, entryPoint: 'width', finishReason: 'stop', ...context })
export const readBig = (reply: string, finishReason = 'stop') =>
  read(reply, { module: BASE, finishReason })
export const good = { status: 'ok', module: WIDTH_FIXED }
