import type { D1Migration } from 'cloudflare:test'
import type { Env as AppEnv } from '../../src/worker/env.ts'

declare global {
  interface ImportMeta {
    /** Vite's: the sources that match, as text. */
    glob(
      pattern: string,
      options: { query: string; import: string; eager: true },
    ): Record<string, unknown>
  }
  namespace Cloudflare {
    interface Env extends AppEnv {
      TEST_MIGRATIONS: D1Migration[]
    }
    interface GlobalProps {
      mainModule: typeof import('../../src/worker/index.ts')
    }
  }
}
