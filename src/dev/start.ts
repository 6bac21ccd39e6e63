// `npm start`: the whole service on this machine, kept running; its state lives in `.failmap/`.
import { setTimeout as sleep } from 'node:timers/promises'
import { drawEpoch, publishEpoch } from './local-epoch.ts'
import { portsFrom, startApi, startSandbox } from './local-service.ts'
import { stopServices } from './process.ts'
import { localSecrets } from './secrets.ts'
import { DEMO_SIZE, describeIsolation, sandboxHealth, say, withServices } from './terminal.ts'

await withServices(async () => {
  const ports = portsFrom(process.argv.slice(2))
  const secrets = localSecrets()
  const sandbox = sandboxHealth.parse((await startSandbox(ports, secrets)).health)
  say(`sandbox  http://127.0.0.1:${ports.sandbox}  ${describeIsolation(sandbox.isolation)}`)
  const epoch = await drawEpoch(secrets, sandbox.corpus, DEMO_SIZE)
  const { url } = await startApi(ports, secrets)
  await publishEpoch(url, secrets, epoch)
  say(`API      ${url}  (pages: ${url}/  reference: ${url}/docs)`)
  say(`epoch    ${epoch.id}: ${epoch.drawing.prompts.count} tasks, open`)
  say('\nCtrl-C stops it; state and keys stay in .failmap/ for the next start.')
  for (;;) await sleep(1_000_000)
}, stopServices)
