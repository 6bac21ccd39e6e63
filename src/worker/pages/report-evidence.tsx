import type { Report } from '../../protocol/report.ts'
import { whole } from './figures.ts'
import { Moment } from './time.tsx'

const PROFILE_WORDS = {
  S: 'own namespaces, emptied root, system call filter',
  L: 'file rules and system call filter, without namespaces',
  unsafe: 'none: the patches were not confined',
} as const

const CONTROL_WORDS = {
  reference: 'Right modules that must pass',
  known_failing: 'Plausible wrong fixes that must fail',
  unsolvable: 'Probes that no honest patch can pass',
} as const

/** What the numbers rest on: the epoch and its commitment, the controls, the jail, the code. */
export function Evidence({ report }: { report: Report }) {
  const { epoch, submission, code, statistics } = report
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">What the numbers rest on</h2>
      <h3>Controls</h3>
      <p>
        Hidden among the patches of every shard. If a single one surprises, the shard is judged
        again and never scored.
      </p>
      <dl class="facts">
        {Object.entries(CONTROL_WORDS).map(([name, words]) => (
          <Control words={words} control={controlOf(report, name)} />
        ))}
      </dl>
      <h3>Isolation</h3>
      <dl class="facts">
        {report.isolation.map(
          ({ profile, shards, landlock_abi: abi, self_tests: tests, seccomp }) => (
            <>
              <dt>Profile {profile}</dt>
              <dd>
                {whole(shards)} shards: {PROFILE_WORDS[profile]}.{' '}
                {abi === null ? 'No Landlock' : `Landlock ABI ${abi}`}; {tests.held} of {tests.run}{' '}
                hostile self-tests held.
                {seccomp === null ? null : <Digest name="filter" value={seccomp} />}
              </dd>
            </>
          ),
        )}
      </dl>
      <h3>Code</h3>
      <dl class="facts">
        <dt>Task generators</dt>
        <dd>
          <Digest name="corpus" value={code.corpus} />
        </dd>
        {code.runtimes.map(({ python, sandbox, shards }) => (
          <>
            <dt>Sandbox</dt>
            <dd>
              Python {python}, {whole(shards)} shards. <Digest name="sources" value={sandbox} />
            </dd>
          </>
        ))}
        <dt>API</dt>
        <dd>
          {code.api}, protocol {code.protocol}
        </dd>
      </dl>
      <h3>Epoch</h3>
      <p>
        The commitment fixed the epoch's secret key before it opened. Once the key is revealed,
        anybody can check it, draw the same tasks and score again.
      </p>
      <dl class="facts">
        <dt>Epoch</dt>
        <dd>
          <a href={`/epochs/${epoch.id}`}>{epoch.id}</a>, {epoch.practice} practice and{' '}
          {epoch.sealed} sealed tasks in each of {whole(epoch.categories)} categories
        </dd>
        <dt>Open</dt>
        <dd>
          <Moment at={epoch.opens_at} /> to <Moment at={epoch.closes_at} />
        </dd>
        <dt>Commitment</dt>
        <dd>
          <Digest value={epoch.commitment} />
        </dd>
        <dt>Card, prompts, drawing</dt>
        <dd>
          <Digest name="card" value={epoch.card} />
          <Digest name="prompts" value={epoch.prompts} />
          <Digest name="drawing" value={epoch.drawing} />
        </dd>
      </dl>
      <h3>Submission</h3>
      <dl class="facts">
        <dt>Submission</dt>
        <dd class="digest">{submission.id}</dd>
        <dt>Signed by</dt>
        <dd class="digest">{submission.key}</dd>
        <dt>Manifest</dt>
        <dd>
          <Digest value={submission.manifest} />
        </dd>
        <dt>Patches</dt>
        <dd>
          {whole(submission.patches.count)} lines, {whole(submission.patches.bytes)} bytes{' '}
          <Digest value={submission.patches.sha256} />
        </dd>
      </dl>
      <h3>Statistics</h3>
      <p>
        Wilson intervals at 95 %. Tasks of one category resemble each other, so the intervals are
        widened for clusters of {statistics.cluster} with a correlation of {statistics.rho}. That
        correlation is assumed, not measured: only counts leave the sandbox.
      </p>
    </section>
  )
}

function controlOf({ controls }: Report, name: string) {
  switch (name) {
    case 'reference':
      return controls.reference
    case 'known_failing':
      return controls.known_failing
    default:
      return controls.unsolvable
  }
}

function Control({ words, control }: { words: string; control: { run: number; held: number } }) {
  return (
    <>
      <dt>{words}</dt>
      <dd class="number">
        {whole(control.held)} of {whole(control.run)} held
      </dd>
    </>
  )
}

function Digest({ name, value }: { name?: string; value: string }) {
  return (
    <span class="digest block">
      {name === undefined ? null : <span class="quiet">{name} </span>}
      {value}
    </span>
  )
}
