// `npm run demo`: one submission on its whole way, with the commands that a user would type.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { styleText } from 'node:util'
import { drawEpoch, publishEpoch } from './local-epoch.ts'
import { portsFrom, startApi, startSandbox } from './local-service.ts'
import { SetupError, stopServices } from './process.ts'
import { root, stateFolder } from './root.ts'
import { localSecrets } from './secrets.ts'
import { buildClient } from './steps.ts'
import {
  DEMO_SIZE,
  describeIsolation,
  sandboxHealth,
  say,
  stage,
  withServices,
} from './terminal.ts'

const folder = path.join(stateFolder, 'demo')
const model = 'baseline/template'
/** Modules that the baseline may try for one task; its default of 160 takes four times as long. */
const STEPS = '40'

/** Runs one `failmap` command on this terminal, echoing it first. */
async function failmap(url: string, args: string[]): Promise<void> {
  say(styleText('dim', `$ failmap ${args.join(' ')}`))
  const child = spawn(process.execPath, [path.join(root, 'dist', 'failmap.js'), ...args], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, FAILMAP_HOME: path.join(folder, 'home'), FAILMAP_API_URL: url },
  })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  if (code === 0) return
  throw new SetupError(
    `failmap ${args[0]} ended with exit code ${code}`,
    'its own message is above',
    'see the logs in .failmap/logs, mend the cause and run the same command again',
  )
}

await withServices(async () => {
  const ports = portsFrom(process.argv.slice(2))
  const secrets = localSecrets()
  mkdirSync(folder, { recursive: true })
  if ((await buildClient()) !== 0) {
    throw new SetupError(
      'the client could not be bundled',
      'the message of rolldown is above',
      'mend what it names and run the same command again',
    )
  }

  stage('1. The sandbox that holds the hidden checks')
  const sandbox = sandboxHealth.parse((await startSandbox(ports, secrets)).health)
  say(`   ${describeIsolation(sandbox.isolation)}`)

  stage('2. An epoch: all tasks drawn from one secret key')
  const epoch = await drawEpoch(secrets, sandbox.corpus, DEMO_SIZE)
  const { prompts, categories } = epoch.drawing
  say(`   ${epoch.id}: ${prompts.count} tasks in ${categories.length} of 256 categories`)

  stage('3. The API')
  const { url } = await startApi(ports, secrets)
  await publishEpoch(url, secrets, epoch)
  say(`   ${url}`)

  stage('4. A vendor: key, prompts, patches')
  if (!existsSync(path.join(folder, 'home', 'key.pem'))) {
    await failmap(url, ['keygen'])
    await failmap(url, ['register', '--name', 'Demo vendor'])
  }
  await failmap(url, ['pull', '--epoch', epoch.id])
  await failmap(url, ['run', '--model', model, '--steps', STEPS])

  stage('5. The submission: signed, judged behind closed doors')
  await failmap(url, ['submit', '--no-wait'])

  await failmap(url, ['watch'])

  stage('6. The report')
  await failmap(url, ['report'])
  await failmap(url, ['verify'])
  say('\nThe same report as a web page: run `npm start`, then open the address above.')
}, stopServices)
