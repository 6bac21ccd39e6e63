/** Where text goes: a stream, or a string in tests. */
export type Sink = {
  write(text: string): void
  /** Whether cursor movement and colour make sense there. */
  readonly isTerminal: boolean
  readonly columns: number
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Everything of the outside world that a command may touch besides files and sockets. */
export type Io = {
  stdout: Sink
  stderr: Sink
  stdin: AsyncIterable<Uint8Array>
  env: Environment
  cwd: string
  home: string
  platform: NodeJS.Platform
  /** Milliseconds since 1970. */
  now(): number
  randomBytes(count: number): Uint8Array
  /** Resolves after `ms`, or at once when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Fires at the first Ctrl-C or SIGTERM. */
  interrupted: AbortSignal
}

/** A wait that ends early, without an error, when the signal fires. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal?.addEventListener('abort', finish, { once: true })
  })
}
