import { applyD1Migrations, env } from 'cloudflare:test'
import { beforeAll, vi } from 'vitest'
import { SECRETS } from './secrets.ts'

// Storage and crypto are real, and the machine may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

// The tests and the worker share one isolate and one env object.
Object.assign(env, SECRETS)

beforeAll(async () => {
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
})
