import { afterEach } from 'vitest'
import { type FakeModelServer, modelServer, startFakeModelServer } from './fake-model-server.ts'
import { type SampleEpoch, sampleEpoch } from './sample-epoch.ts'
import { type Ending, Terminal } from './terminal.ts'
import { journalLines, type Line, putEpoch } from './workspace.ts'

/** A terminal whose workspace holds an epoch, beside a model server. */
export class RunFixture {
  readonly terminal: Terminal
  readonly server: FakeModelServer
  readonly epoch: SampleEpoch

  constructor(terminal: Terminal, server: FakeModelServer, epoch: SampleEpoch) {
    this.terminal = terminal
    this.server = server
    this.epoch = epoch
  }

  /** `failmap run` against the server, without waiting for one that is away unless asked. */
  run(...more: string[]): Promise<Ending> {
    return this.terminal.type(
      'run',
      '--base-url',
      this.server.origin,
      ...(more.includes('--patience') ? [] : ['--patience', '0']),
      ...more,
    )
  }

  /** Lines of the newest run's journal, without the first. */
  journal(): Line[] {
    return journalLines(this.terminal.workspace).slice(1)
  }

  /** Every line about an answer, a reply together with its reading, in the order of the replies. */
  answers(): Line[] {
    const lines = this.journal()
    const readings = new Map(lines.map(({ read, ...reading }) => [read, reading]))
    return lines.flatMap((line) =>
      'instance_id' in line ? [{ ...line, ...readings.get(line.instance_id) }] : [],
    )
  }
}

const cleanUps: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

/** Removed after the test. */
export function onEnd(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp)
}

type FixtureOptions = NonNullable<Parameters<typeof sampleEpoch>[0]>

export async function runFixture(
  complete: Parameters<typeof modelServer>[1],
  options: FixtureOptions = {},
): Promise<RunFixture> {
  const epoch = await sampleEpoch(options)
  const terminal = new Terminal()
  onEnd(() => terminal.remove())
  await putEpoch(terminal.workspace, epoch)
  const server = await startFakeModelServer(modelServer('coder-7b', complete))
  onEnd(() => server.close())
  return new RunFixture(terminal, server, epoch)
}
