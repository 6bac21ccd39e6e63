import { parseInstanceId } from '../../src/protocol/ids.ts'
import { readShape } from '../../src/protocol/shape.ts'
import { type ShardRequest, shardRequestSchema } from '../../src/protocol/shard.ts'
import type { Counts, Isolation, Tally } from '../../src/protocol/tally.ts'
import type { SampleEpoch } from './epoch-sample.ts'
import { SANDBOX_TOKEN } from './secrets.ts'

export const CONFINED: Isolation = {
  profile: 'S',
  landlock_abi: 7,
  user_namespace: true,
  seccomp: '5'.repeat(64),
  self_tests: { run: 12, held: 12 },
}
export const RUNTIME = { python: '3.11.7', sandbox: 'd'.repeat(64) }
export const CORPUS = 'c'.repeat(64)

/** A module with this text counts as fixed; every other one as wrong. */
export const FIXED = 'def solve(a, b):\n    return abs(b - a)\n'

/** A sandbox over HTTP that judges by one look at the text. Everything else about it is real. */
export class FakeSandbox {
  requests: ShardRequest[] = []
  /** Set to answer in another way; undefined lets the honest answer through. */
  respond: (request: ShardRequest) => Response | Promise<Response> | undefined = () => undefined
  private readonly epochs: Map<string, SampleEpoch>

  constructor(epochs: SampleEpoch[]) {
    this.epochs = new Map(epochs.map((epoch) => [epoch.id, epoch]))
  }

  /** Answers like `python3 -m sandbox serve`. */
  async fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const request = new Request(input instanceof URL ? input.href : input, init)
    if (request.headers.get('authorization') !== `Bearer ${SANDBOX_TOKEN}`) {
      return problem('unauthorized', 401)
    }
    const { pathname } = new URL(request.url)
    if (pathname === '/health') {
      return Response.json({
        status: 'ok',
        protocol: 1,
        corpus: CORPUS,
        runtime: RUNTIME,
        isolation: CONFINED,
      })
    }
    const shard = readShape(new Uint8Array(await request.arrayBuffer()), shardRequestSchema)
    if (!shard.ok) return problem('body-invalid', 422)
    this.requests.push(shard.value)
    return (await this.respond(shard.value)) ?? Response.json(this.tally(shard.value))
  }

  /** The honest tally of a shard. */
  tally(request: ShardRequest): Tally {
    const epoch = this.epochs.get(request.epoch.id)
    const isPractice = (id: string) => epoch?.isPractice(parseInstanceId(id)?.number ?? 0) ?? false
    const practice = request.patches.filter(({ instance_id }) => isPractice(instance_id))
    const sealed = request.patches.filter(({ instance_id }) => !isPractice(instance_id))
    return {
      protocol: 1,
      corpus: request.corpus,
      epoch: request.epoch.id,
      submission: request.submission,
      category: request.category,
      runtime: RUNTIME,
      isolation: CONFINED,
      controls: {
        reference: { run: 2, held: 2 },
        known_failing: { run: 2, held: 2 },
        unsolvable: { run: 1, held: 1 },
      },
      parts: {
        practice: count(practice, request.epoch.practice),
        sealed: count(sealed, request.epoch.sealed),
      },
    }
  }
}

function count(patches: ShardRequest['patches'], tasks: number): Counts {
  const fixed = patches.filter(({ module }) => module === FIXED).length
  const answered = patches.filter(({ module }) => module !== null).length
  return {
    tasks,
    fixed,
    wrong: answered - fixed,
    crashed: 0,
    timed_out: 0,
    invalid: 0,
    no_answer: tasks - answered,
    visible_passed: fixed,
    regressed: 0,
    trapped: 0,
    faults_injected: tasks,
    faults_mended: fixed,
    lines_changed: fixed,
    lines_needed: fixed,
  }
}

/** A refusal as the sandbox words it. */
export const problem = (slug: string, status: number) =>
  Response.json(
    { type: `about:blank#/problems/${slug}`, title: slug, status },
    { status, headers: { 'content-type': 'application/problem+json' } },
  )
