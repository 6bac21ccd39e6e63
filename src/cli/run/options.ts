import { type Command, Option } from 'commander'
import type { Part } from '../../protocol/part.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { collect, number, wholeNumber } from '../verb.ts'
import type { Selection } from './selection.ts'

/** Options of `failmap run`, as commander delivers them. */
export type RunOptions = {
  model?: string
  baseUrl?: string
  endpoint?: 'chat' | 'completion'
  replies?: string
  epoch?: string
  perCategory: number | 'all'
  category: string[]
  domain: string[]
  instance: string[]
  part?: Part
  limit?: number
  temperature: number
  topP?: number
  seed: number
  greedy?: boolean
  maxTokens?: number
  numCtx?: number
  system?: string
  timeout: number
  patience: number
  maxConnections: number
  stream: boolean
  acceptModel?: string
  run?: string
  resume: boolean
  steps?: number
  isolation: 'auto' | 'unsafe'
}

const DEFAULT_TIMEOUT_SECONDS = 1800
const DEFAULT_PATIENCE_SECONDS = 600
const DEFAULT_CONNECTIONS = 4

export function addRunOptions(command: Command): void {
  command
    .option(
      '-m, --model <name>',
      'ollama/TAG, vllm/ID, llama-cpp/FILE, lm-studio/ID, sglang/ID, openai-api/PROVIDER/MODEL, baseline/NAME',
    )
    .option('--base-url <url>', 'address of an OpenAI-compatible server')
    .addOption(
      new Option('--backend <name>', 'the server, where --model is a bare name').choices([
        'ollama',
        'vllm',
        'llama-cpp',
        'lm-studio',
        'sglang',
        'openai',
      ]),
    )
    .addOption(
      new Option(
        '--endpoint <kind>',
        'which endpoint to use (default: chat; Ollama: its own)',
      ).choices(['chat', 'completion']),
    )
    .option(
      '--replies <file>',
      'recorded replies (JSON lines of instance_id and reply) in place of a server',
    )
    .option('--epoch <id>', 'epoch (default: the one pulled last, else the newest open one)')
  command
    .option(
      '--per-category <n>',
      'tasks of each category: 1, 8, … or all',
      readPerCategory,
      'all' as const,
    )
    .option('--category <slug>', 'only this category (repeatable, or with commas)', collect, [])
    .option('--domain <slug>', 'only this domain (repeatable, or with commas)', collect, [])
    .option('-i, --instance <id>', 'only this task (repeatable, or with commas)', collect, [])
    .addOption(new Option('--instance-ids <ids>').argParser(collect).default([]).hideHelp())
    .addOption(
      new Option('--part <part>', 'only tasks of this part').choices(['practice', 'sealed']),
    )
    .option('--limit <n>', 'at most this many tasks', wholeNumber(1))
  command
    .option('--temperature <t>', 'sampling temperature', number(0, 100), 0)
    .option('--top-p <p>', 'nucleus sampling', number(0, 1))
    .option('--seed <n>', 'seed of the sampler', wholeNumber(0), 0)
    .option('--greedy', 'temperature 0 and seed 0')
    .option(
      '--max-tokens <n>',
      'output limit (default: 8192, or what the context leaves)',
      wholeNumber(1),
    )
    .option(
      '--num-ctx <n>',
      'context length to ask Ollama for (default: what the longest prompt needs)',
      wholeNumber(1),
    )
    .option('--system <text>', 'system message (default: none)')
  command
    .option(
      '-t, --timeout <seconds>',
      'limit for one answer',
      number(1, 86_400),
      DEFAULT_TIMEOUT_SECONDS,
    )
    .option(
      '--patience <seconds>',
      'how long to wait for a server that is away',
      number(0, 604_800),
      DEFAULT_PATIENCE_SECONDS,
    )
    .option(
      '-j, --max-connections <n>',
      'requests at the same time',
      wholeNumber(1),
      DEFAULT_CONNECTIONS,
    )
    .addOption(new Option('--workers <n>').argParser(wholeNumber(1)).hideHelp())
    .option('--no-stream', 'ask for whole answers')
    .option('--accept-model <name>', 'accept answers under this other model name')
    .option('--steps <n>', 'modules that a baseline may try for a task', wholeNumber(1))
    .addOption(
      new Option('--isolation <kind>', 'how a baseline runs checks; unsafe = without a jail')
        .choices(['auto', 'unsafe'])
        .default('auto'),
    )
    .option('--run <id>', 'go on with this run')
    .option('--no-resume', 'begin a new run even if one with the same settings exists')
    .addOption(new Option('--resume').hideHelp())
}

/** Options with their spellings put together. */
export function readRunOptions(command: Command): RunOptions {
  const options = command.opts<
    RunOptions & { backend?: string; workers?: number; instanceIds: string[] }
  >()
  const { backend, workers, instanceIds, model } = options
  return {
    ...options,
    ...(backend === undefined ? {} : { model: `${backend}/${model ?? ''}` }),
    ...(workers === undefined ? {} : { maxConnections: workers }),
    ...(options.greedy === true ? { temperature: 0, seed: 0 } : {}),
    instance: [...options.instance, ...instanceIds],
  }
}

export function toSelection(options: RunOptions): Selection {
  return {
    perCategory: options.perCategory === 'all' ? null : options.perCategory,
    categories: options.category,
    domains: options.domain,
    instances: options.instance,
    part: options.part,
    limit: options.limit ?? null,
  }
}

function readPerCategory(text: string): number | 'all' {
  if (text === 'all') return 'all'
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new Failure(EXIT.usage, `--per-category is a number or "all", not "${text}"`)
}
