// kill -9 of `failmap run` at random moments, until the run is whole: nothing may be lost or asked twice.
import { pathToFileURL } from 'node:url'
import { buildBinary, NODES, start } from '../cli/binary.ts'
import { modelServer, type Step, startFakeModelServer, stream } from '../cli/fake-model-server.ts'
import { FIXED, sampleEpoch } from '../cli/sample-epoch.ts'
import { Terminal } from '../cli/terminal.ts'
import { isProbe, journalLines, putEpoch } from '../cli/workspace.ts'

export type KillOptions = {
  kills: number
  tasks: number
  connections: number
  seed: number
  /** Longest time that the server takes for an answer, in milliseconds; the shortest is 5. */
  slowestMs: number
}

export type KillOutcome = {
  kills: number
  starts: number
  tasks: number
  answered: number
  /** Answers that the journal held before a kill and not after. */
  lost: number
  /** Tasks with more than one answer in the journal. */
  repeated: number
  /** Answers whose reply is not what the server sent. */
  changed: number
  /** Requests beyond one per task. */
  askedAgain: number
  /** What kills may cost at most: the requests under way at each. */
  allowedAgain: number
}

/** Plays the whole story against a server of this process. */
export async function killAtRandom(options: KillOptions): Promise<KillOutcome> {
  const random = mulberry32(options.seed)
  const terminal = new Terminal()
  const built = buildBinary()
  const asked = new Map<string, number>()
  const server = await startFakeModelServer(
    modelServer('coder-7b', ({ body }) => {
      const id = /failmap__[a-z0-9-]+/.exec(JSON.stringify(body))?.[0]
      if (id !== undefined && !isProbe(body)) asked.set(id, (asked.get(id) ?? 0) + 1)
      return { ...inPieces(), delayMs: 5 + random() * options.slowestMs }
    }),
  )
  const categories = Math.ceil(options.tasks / 4)
  try {
    await putEpoch(terminal.workspace, await sampleEpoch({ categories }))
    const argv = ['run', '--base-url', server.origin, '-j', String(options.connections)]
    const env = { FAILMAP_HOME: terminal.home, FAILMAP_WORKSPACE: terminal.workspace }
    const launch = () => start(NODES.newest, built.file, argv, { env, cwd: terminal.folder })
    let lost = 0
    let kills = 0
    let starts = 0
    const known = new Map<string, string>()
    while (kills < options.kills) {
      const running = launch()
      starts += 1
      const before = asked.size
      // Half of the kills hit while answers come in, the others at any time, start-up included.
      if (random() < 0.5) await moreAsked(() => asked.size > before, running.ended)
      await new Promise((resolve) => setTimeout(resolve, random() * 120))
      running.child.kill('SIGKILL')
      if ((await running.ended).signal === 'SIGKILL') kills += 1
      else break
      lost += countLost(known, terminal.workspace)
    }
    const last = launch()
    starts += 1
    const { code, err } = await last.ended
    if (code !== 0) throw new Error(`the last start ended with ${code}: ${err}`)
    lost += countLost(known, terminal.workspace)
    const answers = answersOf(terminal.workspace)
    const ids = answers.map(([id]) => id)
    const requests = [...asked.values()].reduce((sum, count) => sum + count, 0)
    return {
      kills,
      starts,
      tasks: categories * 4,
      answered: new Set(ids).size,
      lost,
      repeated: ids.length - new Set(ids).size,
      changed: answers.filter(([, line]) => !line.includes(JSON.stringify(REPLY))).length,
      askedAgain: requests - asked.size,
      allowedAgain: kills * options.connections,
    }
  } finally {
    await server.close()
    built.remove()
    terminal.remove()
  }
}

const REPLY = `\`\`\`python\n${FIXED}\`\`\``

/** A streamed answer whose events come in packets of their own, cut where it suits nobody. */
function inPieces(): Step {
  const { type, body } = stream(REPLY)
  const text = String(body)
  const cuts = [0, 40, text.length / 3, text.length / 2, text.length].map(Math.floor)
  const chunks = cuts.slice(1).map((end, at) => text.slice(cuts[at], end))
  return { type: type ?? '', chunks, chunkDelayMs: 1 }
}

async function moreAsked(isReached: () => boolean, ended: Promise<unknown>): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isReached() && !isOver) await new Promise((resolve) => setTimeout(resolve, 2))
}

/** Compares with what was known before, then learns what is new. */
function countLost(known: Map<string, string>, workspace: string): number {
  const now = new Map(answersOf(workspace))
  const lost = [...known].filter(([id, answer]) => now.get(id) !== answer).length
  for (const [id, answer] of now) known.set(id, answer)
  return lost
}

function answersOf(workspace: string): [string, string][] {
  return journalLines(workspace).flatMap((line): [string, string][] =>
    typeof line.instance_id === 'string' ? [[line.instance_id, JSON.stringify(line)]] : [],
  )
}

/** A small seeded generator, so that a failure can be repeated. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const kills = Number(process.argv[2] ?? 200)
  const outcome = await killAtRandom({
    kills,
    tasks: 500,
    connections: 8,
    seed: 20_261_130,
    slowestMs: 500,
  })
  process.stdout.write(`${JSON.stringify(outcome)}\n`)
  const { lost, repeated, changed, answered, tasks, askedAgain, allowedAgain } = outcome
  const isGood = lost + repeated + changed === 0 && answered === tasks && askedAgain <= allowedAgain
  process.exitCode = isGood ? 0 : 1
}
