import { applyD1Migrations, env } from 'cloudflare:test'
import { beforeAll } from 'vitest'
import { SECRETS } from './secrets.ts'

// The tests and the worker share one isolate and one env object.
Object.assign(env, SECRETS)

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
})
