// Runs before anything is installed, on any Node >= 20: checks the machine, installs exactly what
// package-lock.json says, then hands over to a script on the Node of node_modules.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..', '..')
const [script, ...rest] = process.argv.slice(2)

/** Ends the run with what is wrong, why it matters and what to do next. */
function stop(what, why, next) {
  process.stderr.write(`\nfailmap: ${what}\n  why:  ${why}\n  next: ${next}\n`)
  process.exit(2)
}

function checkNode() {
  const major = Number(process.versions.node.split('.')[0])
  if (major >= 20) return
  stop(
    `Node ${process.versions.node} is too old`,
    'the tools need Node 20 or newer to start',
    'install Node 20 or newer (https://nodejs.org) and run the same command again',
  )
}

function checkPython() {
  const python = process.env.FAILMAP_PYTHON ?? 'python3'
  const probe = spawnSync(python, ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'], {
    encoding: 'utf8',
  })
  const version = probe.status === 0 ? probe.stdout.trim() : null
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (major > 3 || (major === 3 && minor >= 11)) return
  stop(
    version ? `${python} is Python ${version}, which is too old` : `${python} does not run`,
    'the sandbox and the tasks are written for Python 3.11 or newer',
    'install Python 3.11 or newer, or point FAILMAP_PYTHON at one',
  )
}

function install() {
  const lock = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')))
  const stamp = path.join(root, 'node_modules', '.failmap-installed')
  const wanted = `${lock.digest('hex')} ${process.platform}-${process.arch}`
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  process.stderr.write('Installing the exact packages of package-lock.json (about 20 seconds) …\n')
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const done = spawnSync(npm, ['ci', '--loglevel=error', '--no-fund', '--no-audit'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (done.status !== 0) {
    stop(
      '`npm ci` did not finish',
      'its own message is above',
      'check the network and the free disk space (700 MB), then run the same command again',
    )
  }
  writeFileSync(stamp, wanted)
}

function node() {
  const own = path.join(root, 'node_modules', '.bin', 'node')
  if (existsSync(own) && spawnSync(own, ['-v']).status === 0) return own
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath
  return stop(
    `Node ${process.versions.node} cannot run the local service here`,
    'there is no prebuilt Node 24 package for this platform, and the tools need 22.18 or newer',
    'install Node 24 and run the same command again',
  )
}

checkNode()
checkPython()
install()
const child = spawn(node(), [path.join(root, 'src', 'dev', script), ...rest], {
  cwd: process.cwd(),
  stdio: 'inherit',
  env: {
    ...process.env,
    PATH: `${path.join(root, 'node_modules', '.bin')}${path.delimiter}${process.env.PATH ?? ''}`,
  },
})
// The child gets the terminal's signals itself and decides how to end; this process waits for it.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => signal === 'SIGTERM' && child.kill(signal))
}
child.on('exit', (code, signal) => process.exit(signal ? 130 : (code ?? 1)))
