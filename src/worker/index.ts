// Only wires: requests to the app, messages and cron to the jobs, and the Durable Object classes.
import { dependencies } from './deps.ts'
import type { Env } from './env.ts'
import { createApp } from './http/app.ts'
import { handleCron, handleQueue } from './jobs.ts'

export { Progress } from './durable/progress.ts'
export { Quota } from './durable/quota.ts'
export { Tokens } from './durable/tokens.ts'
export { SandboxContainer } from './sandbox/container.ts'

const app = createApp(dependencies)

export default {
  fetch(request, env, context) {
    // Missing settings fail here, in the operator's words, before a request is looked at.
    dependencies(env)
    return app.fetch(request, env, context)
  },
  queue: (batch, env) => handleQueue(batch, dependencies(env)),
  scheduled: (event, env) => handleCron(event.cron, dependencies(env)),
} satisfies ExportedHandler<Env>
