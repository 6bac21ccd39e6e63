import { start } from './binary.ts'
import { chat, modelServer, type Step, startFakeModelServer } from './fake-model-server.ts'
import { onEnd } from './run-fixture.ts'
import { FIXED, sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'
import { putEpoch } from './workspace.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

type Shell = {
  type: (...argv: string[]) => ReturnType<typeof start>
  terminal: Terminal
  origin: string
}

/** The installed client in a folder with a pulled epoch, beside a model server. */
export async function shell(
  node: string,
  file: string,
  complete: (seen: { body: unknown }, count: number) => Step | undefined = () => chat(RIGHT),
  categories = 4,
): Promise<Shell> {
  const terminal = new Terminal()
  onEnd(() => terminal.remove())
  await putEpoch(terminal.workspace, await sampleEpoch({ categories }))
  const server = await startFakeModelServer(modelServer('acme/coder:7b-q4_K_M', complete))
  onEnd(() => server.close())
  const env = {
    FAILMAP_HOME: terminal.home,
    FAILMAP_WORKSPACE: terminal.workspace,
    FAILMAP_API_URL: 'http://127.0.0.1:9',
  }
  const type = (...argv: string[]) => start(node, file, argv, { env, cwd: terminal.folder })
  return { type, terminal, origin: server.origin }
}
