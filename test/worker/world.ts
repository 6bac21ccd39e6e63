import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  env,
  getQueueResult,
} from 'cloudflare:test'
import type { WorkMessage } from '../../src/protocol/shard.ts'
import { type Deps, dependencies } from '../../src/worker/deps.ts'
import { createApp } from '../../src/worker/http/app.ts'
import {
  DEAD_QUEUE,
  handleCron,
  handleQueue,
  SWEEP_CRON,
  WORK_QUEUE,
} from '../../src/worker/jobs.ts'
import { createLog } from '../../src/worker/log.ts'
import { httpSandbox } from '../../src/worker/sandbox/http.ts'
import { type SampleEpoch, SMALL, sampleEpoch } from './epoch-sample.ts'
import { FakeSandbox } from './fake-sandbox.ts'
import { OPERATOR_TOKEN, ORIGIN, SANDBOX_TOKEN, SANDBOX_URL } from './secrets.ts'
import { type Clock, stoppedClock } from './time.ts'

export type Queued = { body: WorkMessage; delaySeconds?: number }

/** The worker with real D1, R2 and Durable Objects; the sandbox and the clock are ours, and so is the moment of delivery. */
export type World = {
  clock: Clock
  sandbox: FakeSandbox
  deps: Deps
  epochs: Record<'open' | 'live' | 'room', SampleEpoch>
  /** Messages that were queued and not delivered yet. */
  queue: Queued[]
  logged: string[]
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** A request as it is. */
  send(request: Request): Promise<Response>
  operator(path: string, init: RequestInit): Promise<Response>
  /** Delivers messages as one batch; answers which of them were acknowledged, by position. */
  deliver(messages: unknown[], options?: { attempts?: number; queue?: string }): Promise<boolean[]>
  /** Delivers until nothing is queued. Messages that come again do so at once. */
  drain(): Promise<void>
  sweep(): Promise<void>
}

/**
 * A world with its epochs published. `change` replaces some of its parts first; the sandbox knows
 * `more` epochs, which the test publishes itself.
 */
export async function openWorld(
  change: (deps: Deps) => Partial<Deps> = () => ({}),
  more: SampleEpoch[] = [],
): Promise<World> {
  const clock = stoppedClock()
  const epochs = {
    open: await sampleEpoch('open-1', 'open'),
    live: await sampleEpoch('live-1', 'live', { ...SMALL, sealed: 40 }),
    room: await sampleEpoch('room-1', 'room'),
  }
  const sandbox = new FakeSandbox([...Object.values(epochs), ...more])
  const queue: Queued[] = []
  const logged: string[] = []
  const base: Deps = {
    ...dependencies(env),
    now: clock.now,
    log: createLog((line) => logged.push(line), clock.now),
    // Tests found many organisations from one address; `rates.test.ts` takes the real ones.
    rates: { registration: async () => true, submission: async () => true },
    sandbox: httpSandbox(
      SANDBOX_URL,
      SANDBOX_TOKEN,
      (input, init) => sandbox.fetch(input, init),
      clock.now,
    ),
    work: {
      async send(messages, delaySeconds) {
        for (const body of messages) {
          queue.push(delaySeconds === undefined ? { body } : { body, delaySeconds })
        }
      },
    },
  }
  const deps = { ...base, ...change(base) }
  const app = createApp(() => deps)
  const send = async (request: Request) => app.fetch(request, env, createExecutionContext())
  const fetch = (path: string, init?: RequestInit) => send(new Request(`${ORIGIN}${path}`, init))
  const asOperator = (path: string, init: RequestInit) =>
    new Request(`${ORIGIN}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...init.headers },
    })
  const operator = (path: string, init: RequestInit) => send(asOperator(path, init))
  let delivered = 0
  const nextId = () => {
    delivered += 1
    return `message-${delivered}`
  }
  const deliver: World['deliver'] = async (
    messages,
    { attempts = 1, queue: name = WORK_QUEUE } = {},
  ) => {
    const batch = createMessageBatch(
      name,
      messages.map((body) => ({
        id: nextId(),
        timestamp: new Date(clock.now()),
        attempts,
        body,
      })),
    )
    await handleQueue(batch, deps)
    const result = await getQueueResult(batch, createExecutionContext())
    return batch.messages.map(({ id }) => result.explicitAcks.includes(id))
  }
  const drain = async () => {
    for (let round = 0; queue.length > 0; round += 1) {
      if (round > 2000) throw new Error('the queue does not become empty')
      const next = queue.splice(0, 4)
      clock.advance(Math.max(...next.map(({ delaySeconds = 0 }) => delaySeconds)))
      const batch = next.map(({ body }) => body)
      const settled = await deliver(batch)
      queue.push(...batch.filter((_, index) => !settled[index]).map((body) => ({ body })))
    }
  }
  const world: World = {
    clock,
    sandbox,
    deps,
    epochs,
    queue,
    logged,
    fetch,
    send,
    operator,
    deliver,
    drain,
    sweep: () =>
      handleCron(
        createScheduledController({ cron: SWEEP_CRON, scheduledTime: new Date() }).cron,
        deps,
      ),
  }
  // Rooms are opened in development only, and judged like in production here.
  const settings = { ...deps.settings, development: true }
  const workshop = createApp(() => ({ ...deps, settings }))
  const opening: World = {
    ...world,
    operator: async (path, init) =>
      workshop.fetch(asOperator(path, init), env, createExecutionContext()),
  }
  for (const epoch of Object.values(epochs)) await publish(opening, epoch)
  return world
}

/** Stores an epoch and its prompts the way an operator does. */
export async function publish(world: World, epoch: SampleEpoch): Promise<void> {
  const card = await world.operator(`/v1/epochs/${epoch.id}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(epoch.draft),
  })
  const prompts = await world.operator(`/v1/epochs/${epoch.id}/prompts`, {
    method: 'PUT',
    headers: { 'content-type': 'application/x-ndjson' },
    body: epoch.prompts,
  })
  if (!card.ok || !prompts.ok) {
    throw new Error(`epoch not published: ${await card.text()} ${await prompts.text()}`)
  }
}

export { DEAD_QUEUE }
