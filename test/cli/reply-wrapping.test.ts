import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { replyToModule } from '../../src/cli/model/reply.ts'
import { searchReplaceOf, unifiedDiffOf } from './reply-differ.ts'
import { WIDTH } from './reply-field-cases.ts'
import { modules, otherBlock, prose } from './reply-modules.ts'

const RUNS = { numRuns: 150 }

function expectModule(reply: string, module: string, base = WIDTH) {
  const outcome = replyToModule(reply, { module: base, entryPoint: 'width', finishReason: 'stop' })
  if (outcome.status !== (module === base ? 'unchanged' : 'ok'))
    throw new Error(`${outcome.status} ${outcome.notes.join(' ')}\n---\n${reply}`)
  expect(outcome.module).toBe(module)
}

const indented = (text: string, by: string) =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : by + line))
    .join('\n')

describe('replyToModule gives a module back byte for byte', () => {
  test('bare, also with CRLF, a byte-order mark, blank lines or end tokens around it', () => {
    const around = fc.constantFrom<(module: string) => string>(
      (module) => module,
      (module) => module.trimEnd(),
      (module) => `\n\n${module}\n\n`,
      (module) => `\ufeff${module.replaceAll('\n', '\r\n')}`,
      (module) => `${module}<|im_end|>\n`,
      (module) => `<|im_start|>assistant\n${module}<|im_end|>\n<|endoftext|>`,
    )
    fc.assert(
      fc.property(modules, around, (module, wrap) => expectModule(wrap(module), module)),
      RUNS,
    )
  })

  test('in a fence of either kind, of any length, tag and indent, among prose and other blocks', () => {
    const fence = fc.record({
      mark: fc.constantFrom('```', '````', '``````', '~~~', '~~~~~'),
      tag: fc.constantFrom(
        '',
        'python',
        'py3',
        'Python',
        ' python',
        'python:width.py',
        '{.python}',
      ),
      indent: fc.constantFrom('', '  ', '   ', '    ', '\t', '> '),
      tail: fc.constantFrom('', '<|im_end|>', '  ', '</s>'),
    })
    fc.assert(
      fc.property(
        modules,
        fence,
        prose,
        prose,
        otherBlock,
        (module, { mark, tag, indent, tail }, before, after, other) => {
          const quoted =
            indent === '> '
              ? `> ${module.trimEnd().split('\n').join('\n> ')}\n`
              : indented(module, indent)
          const block = `${indent}${mark}${tag}\n${quoted}${indent}${mark}${tail}\n`
          const rest = tail.startsWith('<') ? '' : `${other}${after}`
          expectModule(`${before}\n${other}${block}${rest}`, module)
        },
      ),
      RUNS,
    )
  })

  test('after reasoning of every kind', () => {
    const opening = fc.constantFrom(
      ['<think>\n', '\n</think>\n'],
      ['<thinking>', '</thinking>\n\n'],
      ['', '</think>'],
      ['[THINK]', '[/THINK]\n'],
      ['◁think▷', '◁/think▷'],
      ['<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'],
    )
    const thought = fc.constantFrom(
      'hm',
      'maybe\n```python\ndef width(a, b):\n    return 0\n```\nno',
      'open fence\n```python\ndef width(a, b):\n',
      'a stray `</think>` and "</think>" are only text',
    )
    const isFenced = fc.boolean()
    fc.assert(
      fc.property(modules, opening, thought, isFenced, (module, [open, close], text, fenced) => {
        const answer = fenced ? `\`\`\`python\n${module}\`\`\`\n` : module
        expectModule(`${open}${text}${close}${answer}`, module)
      }),
      RUNS,
    )
  })

  test('plain between prose', () => {
    // A Markdown heading is a Python comment, so without a fence it stays with the code.
    const words = prose.filter((text) => !text.includes('#'))
    fc.assert(
      fc.property(modules, words, words, (module, before, after) => {
        expectModule(`Here it is:\n${before}\n${module}\nThat is all.\n${after}`, module)
      }),
      RUNS,
    )
  })

  test('between tags or in JSON', () => {
    fc.assert(
      fc.property(modules, (module) => {
        expectModule(`<answer>\n${module}</answer>\n`, module)
        expectModule(JSON.stringify({ module }), module)
        expectModule(`\`\`\`json\n${JSON.stringify({ code: module }, null, 2)}\n\`\`\`\n`, module)
      }),
      RUNS,
    )
  })

  test('as a unified diff, fenced or not, whatever the line numbers say', () => {
    const shape = fc.record({
      fenced: fc.boolean(),
      prefix: fc.constantFrom('a/', ''),
      counts: fc.constantFrom('right', 'wrong'),
    })
    fc.assert(
      fc.property(modules, modules, shape, (base, module, { fenced, prefix, counts }) => {
        fc.pre(base !== module)
        const diff = unifiedDiffOf(base, module, { prefix, wrongCounts: counts === 'wrong' })
        expectModule(fenced ? `So:\n\`\`\`diff\n${diff}\`\`\`\n` : diff, module, base)
      }),
      RUNS,
    )
  })

  test('as a search/replace block', () => {
    fc.assert(
      fc.property(modules, modules, (base, module) => {
        fc.pre(base !== module && !/^\s*(?:<{7}|={7}|>{7})/m.test(base + module))
        expectModule(
          `width.py\n\`\`\`python\n${searchReplaceOf(base, module)}\`\`\`\n`,
          module,
          base,
        )
      }),
      RUNS,
    )
  })
})
