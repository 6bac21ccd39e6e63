import path from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'

const root = import.meta.dirname

/** Workerd with the bindings of wrangler.toml and the real migrations. */
const workerd = () =>
  cloudflareTest(async () => ({
    wrangler: { configPath: path.join(root, 'wrangler.toml') },
    miniflare: {
      bindings: { TEST_MIGRATIONS: await readD1Migrations(path.join(root, 'migrations')) },
    },
  }))

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'protocol-node', include: ['test/protocol/**/*.test.ts'] } },
      {
        plugins: [workerd()],
        test: { name: 'protocol-workerd', include: ['test/protocol/**/*.test.ts'] },
      },
      {
        plugins: [workerd()],
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.{ts,tsx}'],
          setupFiles: ['test/worker/setup.ts'],
        },
      },
      { test: { name: 'cli', include: ['test/cli/**/*.test.ts'], testTimeout: 60_000 } },
      {
        oxc: { jsx: { runtime: 'automatic', importSource: 'hono/jsx' } },
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.{ts,tsx}'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
