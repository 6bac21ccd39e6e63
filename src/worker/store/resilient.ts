/** Errors after which the same statement may be sent again; the write may or may not have happened. */
const TRANSIENT =
  /network connection lost|code was updated|caused object to be reset|storage operation exceeded|internal error|overloaded|reset because|timed out|too many requests/i

/** True when the platform lost the call rather than refused it. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof Error ? `${error.message} ${error.cause ?? ''}` : String(error)
  return TRANSIENT.test(cause)
}

export type Pause = (attempt: number) => Promise<void>

/** Runs `call` up to `attempts` times while the platform loses it. `call` must be safe to run twice. */
export async function insist<T>(call: () => Promise<T>, pause: Pause, attempts = 4): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      if (attempt >= attempts || !isTransient(error)) throw error
      await pause(attempt)
    }
  }
}

/**
 * A database whose every call is repeated when the connection is lost. D1 repeats reads only, and a
 * lost write may have been committed: so every write of store/ is keyed and safe to run twice.
 */
export function resilient(db: D1Database, pause: Pause): D1Database {
  const natives = new WeakMap<D1PreparedStatement, D1PreparedStatement>()

  const wrap = (native: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(native, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values))
        return (...args: unknown[]) =>
          insist(async () => Reflect.apply(member, target, args), pause)
      },
    })
    natives.set(wrapped, native)
    return wrapped
  }

  return new Proxy(db, {
    get(target, name) {
      if (name === 'prepare') return (query: string) => wrap(target.prepare(query))
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) => {
          const bare = statements.map((statement) => natives.get(statement) ?? statement)
          return insist(() => target.batch(bare), pause)
        }
      }
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
