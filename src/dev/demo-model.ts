// `npm run demo:model`: a real, very small language model on its whole way to a signed map.
// Arguments: `--sealed N` tasks of each category (default 1), `--limit N` answers only the first N,
// `--port N` for the three services.
import path from 'node:path'
import { styleText } from 'node:util'
import { drawEpoch, publishEpoch } from './local-epoch.ts'
import { portsFrom, startApi, startSandbox } from './local-service.ts'
import { SetupError, stopServices } from './process.ts'
import { stateFolder } from './root.ts'
import { localSecrets } from './secrets.ts'
import { SMALL_MODEL, startSmallModel } from './small-model.ts'
import { describeIsolation, sandboxHealth, say, stage, withServices } from './terminal.ts'
import { requireClient, Vendor } from './vendor.ts'

/** A small model that has lost the thread repeats itself; a module needs a fraction of this. */
const MAX_TOKENS = '1024'

function numberOf(args: string[], flag: string): number | null {
  const at = args.indexOf(flag)
  if (at < 0) return null
  const wanted = Number(args[at + 1])
  if (Number.isInteger(wanted) && wanted > 0) return wanted
  throw new SetupError(
    `${flag} ${args[at + 1] ?? ''} is not a number of tasks`,
    'it must be a whole number from 1',
    `npm run demo:model -- ${flag} 1`,
  )
}

await withServices(async () => {
  const args = process.argv.slice(2)
  const ports = portsFrom(args)
  const secrets = localSecrets()
  await requireClient()

  stage('1. The model: SmolLM2-135M behind an OpenAI-compatible server')
  const modelUrl = await startSmallModel(ports.sandbox + 1, say)
  say(`   ${SMALL_MODEL} at ${modelUrl}`)

  stage('2. Sandbox, epoch, API')
  const sandbox = sandboxHealth.parse((await startSandbox(ports, secrets)).health)
  say(`   ${describeIsolation(sandbox.isolation)}`)
  const size = { practice: 1, sealed: numberOf(args, '--sealed') ?? 1 }
  const epoch = await drawEpoch(secrets, sandbox.corpus, size)
  const { url } = await startApi(ports, secrets)
  await publishEpoch(url, secrets, epoch)
  say(`   ${url}, epoch ${epoch.id} with ${epoch.drawing.prompts.count} tasks`)

  stage('3. Key, prompts, and what doctor says')
  const vendor = new Vendor(path.join(stateFolder, 'demo-model'), url)
  await vendor.enter('Small model demo')
  await vendor.type(['pull', epoch.id])
  const model = ['--model', `llama-cpp/${SMALL_MODEL}`, '--base-url', modelUrl]
  await vendor.type(['doctor', ...model, '-j', '1'], [0, 1])

  stage('4. The run')
  say(styleText('dim', '   Ctrl-C is safe: the same command goes on with the next task'))
  const limit = numberOf(args, '--limit')
  const limits = ['--max-tokens', MAX_TOKENS, '-j', '1', '--part', 'sealed']
  if (limit !== null) limits.push('--limit', String(limit))
  await vendor.type(['run', ...model, ...limits], [0, 5])

  stage('5. Visible checks here, hidden checks behind closed doors')
  await vendor.type(['check'])
  await vendor.type(['submit', '--wait'])

  stage('6. The report, its signature, and the gap')
  await vendor.type(['report'])
  await vendor.type(['verify'])
  await vendor.type(['check'])
}, stopServices)
