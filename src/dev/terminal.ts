import { styleText } from 'node:util'
import { z } from 'zod'
import type { Size } from './local-epoch.ts'
import { SetupError } from './process.ts'

/** What the demo epoch draws for one category: an eighth of a real epoch, for a demo of minutes. */
export const DEMO_SIZE: Size = { practice: 2, sealed: 10 }

const isolationSchema = z
  .object({
    profile: z.string(),
    self_tests: z.object({ run: z.number(), held: z.number() }),
  })
  .loose()

export const sandboxHealth = z.object({ corpus: z.string(), isolation: isolationSchema }).loose()

/** One line on how patches are confined on this machine. */
export function describeIsolation(isolation: z.infer<typeof isolationSchema>): string {
  const { profile, self_tests: tests } = isolation
  return `isolation profile ${profile}, ${tests.held} of ${tests.run} hostile self-tests held`
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** A heading for one stage of a script. */
export function stage(line: string): void {
  say(`\n${styleText('bold', line)}`)
}

/** Runs a script and stops the services that it started, however it ends. */
export async function withServices(
  script: () => Promise<void>,
  stop: () => Promise<void>,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      say('\nstopping …')
      void stop().then(() => process.exit(130))
    })
  }
  try {
    await script()
    await stop()
  } catch (error) {
    await stop()
    if (!(error instanceof SetupError)) throw error
    process.stderr.write(
      `\nfailmap: ${error.message}\n  why:  ${error.why}\n  next: ${error.next}\n`,
    )
    process.exit(2)
  }
}
