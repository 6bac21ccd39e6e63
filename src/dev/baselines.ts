// `npm run baselines`: the first scores of the map, each submitted and judged as anybody's would be.
// Arguments: `--model NAME` (repeatable; baseline/unchanged, baseline/template, baseline/genetic,
// small), `--sealed N` tasks of each category, `--write` puts the rows into docs/baselines.md.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { type Report, reportSchema } from '../protocol/report.ts'
import { type BaselineRow, markdownRow, writeRows } from './baseline-rows.ts'
import { drawEpoch, epochId, publishEpoch, type Size } from './local-epoch.ts'
import { type Ports, portsFrom, startApi, startSandbox } from './local-service.ts'
import { SetupError, stopServices } from './process.ts'
import { stateFolder } from './root.ts'
import { localSecrets } from './secrets.ts'
import { SMALL_MODEL, startSmallModel } from './small-model.ts'
import { sandboxHealth, say, stage, withServices } from './terminal.ts'
import { requireClient, Vendor } from './vendor.ts'

/** Known to everybody, so that everybody draws the same tasks; the epoch is open anyway. */
const ROOT_KEY = createHash('sha256').update('failmap baselines 1').digest('base64url')
const BASELINES = ['baseline/unchanged', 'baseline/template', 'baseline/genetic']
const SMALL = 'small'
/** 192 tasks of 32 categories: about ten minutes on two cores, intervals of about +-7 points. */
const SEALED = '6'
/** A lost model repeats itself up to the limit; a module of 80 lines needs about this much. */
const MAX_TOKENS = '1024'

const runsSchema = z.object({
  runs: z.array(z.object({ run: z.string(), epoch: z.string(), model: z.string() }).loose()),
})

type Wish = { models: string[]; size: Size; write: boolean; ports: Ports }

const options = {
  model: { type: 'string', multiple: true, default: BASELINES },
  sealed: { type: 'string', default: SEALED },
  write: { type: 'boolean', default: false },
  port: { type: 'string' },
} as const

function readWish(args: string[]): Wish {
  const values = parse(args)
  const unknown = values.model.find((name) => name !== SMALL && !BASELINES.includes(name))
  if (unknown !== undefined) throw usage(`there is no model ${unknown}`)
  if (!/^[1-9]\d?$/.test(values.sealed)) throw usage(`--sealed ${values.sealed} is no size`)
  const size = { practice: 1, sealed: Number(values.sealed) }
  return { models: values.model, size, write: values.write, ports: portsFrom(args) }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error))
  }
}

function usage(what: string): SetupError {
  return new SetupError(
    what,
    `models are ${[...BASELINES, SMALL].join(', ')}; --sealed is a number from 1 to 99`,
    'npm run baselines -- --model baseline/template --sealed 6',
  )
}

type Model = { name: string; options: string[] }

/** What `failmap run` is told for a model. */
async function modelOf(name: string, ports: Ports): Promise<Model> {
  if (name !== SMALL) return { name, options: [] }
  const url = await startSmallModel(ports.sandbox + 1, say)
  const options = ['--base-url', url, '--max-tokens', MAX_TOKENS, '-j', '1']
  return { name: `llama-cpp/${SMALL_MODEL}`, options }
}

/** Run, submission and report of one model on the sealed tasks of an epoch. */
async function score(vendor: Vendor, epoch: string, { name, options }: Model): Promise<Report> {
  await vendor.type(['run', '--model', name, ...options, '--part', 'sealed'], [0, 5])
  const { runs } = runsSchema.parse(await vendor.ask(['runs']))
  const run = runs.findLast((each) => each.epoch === epoch && each.model === name)?.run ?? ''
  await vendor.type(['submit', run, '--wait'])
  return reportSchema.parse(await vendor.ask(['report', run]))
}

await withServices(async () => {
  const { models, size, write, ports } = readWish(process.argv.slice(2))
  await requireClient()
  const secrets = localSecrets()
  stage('Sandbox, epoch, API')
  const { corpus } = sandboxHealth.parse((await startSandbox(ports, secrets)).health)
  secrets.epochKeys[epochId('baselines', corpus, size)] = ROOT_KEY
  const epoch = await drawEpoch(secrets, corpus, size, 'baselines')
  const { url } = await startApi(ports, secrets)
  await publishEpoch(url, secrets, epoch)
  const vendor = new Vendor(path.join(stateFolder, 'baselines'), url)
  await vendor.enter('Baselines')
  await vendor.type(['pull', '--epoch', epoch.id])

  const rows: BaselineRow[] = []
  for (const name of models) {
    stage(name)
    const startedAt = performance.now()
    const report = await score(vendor, epoch.id, await modelOf(name, ports))
    rows.push({ name, size, corpus, report })
    say(`${markdownRow({ name, size, corpus, report })}`)
    say(`${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
  stage(`Scores on ${epoch.id}`)
  for (const row of rows) say(markdownRow(row))
  if (write) say(`written to ${writeRows(rows)}`)
}, stopServices)
