import { type Command, Option } from 'commander'
import type { Context } from '../context.ts'
import { checkApi, checkDisk, checkKey, checkNode, checkPython } from '../doctor/environment.ts'
import { bad, type Finding, notice } from '../doctor/finding.ts'
import { type FoundServer, findServers, serverFindings } from '../doctor/servers.ts'
import { checkModel } from '../doctor/speed.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { pullEpoch } from '../pull-epoch.ts'
import type { Paint } from '../terminal/paint.ts'
import { type Verb, wholeNumber } from '../verb.ts'
import { findEpoch, type PulledEpoch } from '../workspace/epochs.ts'

type Options = {
  model?: string
  baseUrl?: string
  endpoint?: 'chat' | 'completion'
  epoch?: string
  maxConnections: number
}

export const doctor: Verb = {
  name: 'doctor',
  aliases: ['verify-api-key'],
  summary: 'look for what would go wrong, and say what to do about it',
  examples: ['failmap doctor', 'failmap doctor --model ollama/qwen2.5-coder:7b'],
  build(command: Command) {
    command
      .option('-m, --model <name>', 'measure this model (default: the only one found)')
      .option('--base-url <url>', 'address of an OpenAI-compatible server')
      .addOption(new Option('--endpoint <kind>').choices(['chat', 'completion']))
      .option('--epoch <id>', 'epoch to measure with')
      .option('-j, --max-connections <n>', 'requests at the same time', wholeNumber(1), 4)
  },
  async run(context, command) {
    const options = command.opts<Options>()
    const findings: Finding[] = [
      checkNode(),
      checkDisk(context),
      await checkKey(context),
      ...(await checkApi(context)),
      await checkPython(context),
    ]
    const servers = await findServers(context)
    if (options.baseUrl === undefined) findings.push(...serverFindings(servers))
    const model = chooseModel(options, servers)
    if (model !== null) findings.push(...(await measured(context, options, model)))
    const isBad = findings.some(({ level }) => level === 'bad')
    return {
      data: { findings, servers },
      text: findings.flatMap((finding) => toLines(finding, context.paint)).join('\n'),
      exit: isBad ? EXIT.refused : EXIT.done,
    }
  },
}

type Chosen = { model: string | undefined; baseUrl: string | undefined }

function chooseModel(options: Options, servers: readonly FoundServer[]): Chosen | null {
  if (options.model !== undefined || options.baseUrl !== undefined) {
    return { model: options.model, baseUrl: options.baseUrl }
  }
  const [server, ...others] = servers
  const [model, ...more] = server?.identity.offered ?? []
  if (server === undefined || model === undefined || others.length > 0 || more.length > 0)
    return null
  return { model: `${server.kind}/${model}`, baseUrl: server.baseUrl }
}

async function measured(context: Context, options: Options, chosen: Chosen): Promise<Finding[]> {
  const epoch = await promptsFor(context, options.epoch)
  if (epoch === null) {
    return [notice('speed', 'no prompts to measure with', 'failmap pull   (needs the API once)')]
  }
  try {
    return await checkModel(context, {
      ...chosen,
      endpoint: options.endpoint,
      maxConnections: options.maxConnections,
      epoch,
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [bad('model', [error.message, error.why].join(': '), error.next ?? 'give --model')]
  }
}

async function promptsFor(
  context: Context,
  epoch: string | undefined,
): Promise<PulledEpoch | null> {
  const { workspace } = context.config
  const found = findEpoch(workspace, epoch)
  if (found !== null) return found
  try {
    const pulled = await pullEpoch(context, epoch)
    return findEpoch(workspace, pulled.view.card.id)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

function toLines({ topic, level, found, remedy }: Finding, paint: Paint): string[] {
  const marks = { good: paint.green('ok '), notice: paint.yellow('!! '), bad: paint.red('BAD') }
  const lines = [`${marks[level]} ${topic.padEnd(9)} ${found}`]
  if (remedy !== undefined) lines.push(`              -> ${remedy}`)
  return lines
}
