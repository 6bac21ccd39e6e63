// `npm run demo:model`: a real, very small language model on its whole way to a signed map.
// Arguments: `--per-category N` (default 1), `--port N` for the three local services.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { styleText } from 'node:util'
import { drawEpoch, publishEpoch } from './local-epoch.ts'
import { portsFrom, startApi, startSandbox } from './local-service.ts'
import { SetupError, stopServices } from './process.ts'
import { root, stateFolder } from './root.ts'
import { localSecrets } from './secrets.ts'
import { SMALL_MODEL, startSmallModel } from './small-model.ts'
import { run } from './steps.ts'
import {
  DEMO_SIZE,
  describeIsolation,
  sandboxHealth,
  say,
  stage,
  withServices,
} from './terminal.ts'

const folder = path.join(stateFolder, 'demo-model')
/** A small model that has lost the thread repeats itself; a module needs a fraction of this. */
const MAX_TOKENS = '1024'

/** Runs one `failmap` command on this terminal; `allowed` are exit codes that are part of the story. */
async function failmap(url: string, args: string[], allowed: number[] = [0]): Promise<void> {
  say(styleText('dim', `$ failmap ${args.join(' ')}`))
  const child = spawn(process.execPath, [path.join(root, 'dist', 'failmap.js'), ...args], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, FAILMAP_HOME: path.join(folder, 'home'), FAILMAP_API_URL: url },
  })
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  if (code !== null && allowed.includes(code)) return
  throw new SetupError(
    `failmap ${args[0]} ended with exit code ${code}`,
    'its own message is above',
    'mend the cause and run the same command again: it goes on where it stopped',
  )
}

function perCategory(args: string[]): string {
  const at = args.indexOf('--per-category')
  return at < 0 ? '1' : (args[at + 1] ?? '1')
}

await withServices(async () => {
  const args = process.argv.slice(2)
  const ports = portsFrom(args)
  const secrets = localSecrets()
  mkdirSync(folder, { recursive: true })
  const build = { name: 'build', command: 'npm', args: ['run', '--silent', 'build'], quiet: true }
  if ((await run(build)) !== 0) process.exit(1)

  stage('1. The model: SmolLM2-135M behind an OpenAI-compatible server')
  const modelUrl = await startSmallModel(ports.sandbox + 1, say)
  say(`   ${SMALL_MODEL} at ${modelUrl}`)

  stage('2. Sandbox, epoch, API')
  const sandbox = sandboxHealth.parse((await startSandbox(ports, secrets)).health)
  say(`   ${describeIsolation(sandbox.isolation)}`)
  const epoch = await drawEpoch(secrets, sandbox.corpus, DEMO_SIZE)
  const { url } = await startApi(ports, secrets)
  await publishEpoch(url, secrets, epoch)
  say(`   ${url}, epoch ${epoch.id} with ${epoch.drawing.prompts.count} tasks`)

  stage('3. Key, prompts, and what doctor says')
  if (!existsSync(path.join(folder, 'home', 'key.pem'))) {
    await failmap(url, ['keygen'])
    await failmap(url, ['register', '--name', 'Small model demo'])
  }
  await failmap(url, ['pull', '--epoch', epoch.id])
  const model = ['--model', `llama-cpp/${SMALL_MODEL}`, '--base-url', modelUrl]
  await failmap(url, ['doctor', ...model, '-j', '1'], [0, 1])

  stage('4. The run')
  const limits = ['--max-tokens', MAX_TOKENS, '-j', '1', '--per-category', perCategory(args)]
  await failmap(url, ['run', ...model, ...limits], [0, 5])

  stage('5. Visible checks here, hidden checks behind closed doors')
  await failmap(url, ['check'])
  await failmap(url, ['submit', '--wait'])

  stage('6. The report, its signature, and the gap')
  await failmap(url, ['report'])
  await failmap(url, ['verify'])
  await failmap(url, ['check'])
}, stopServices)
