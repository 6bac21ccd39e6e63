/** What the platform says when it lost a call; the call may have happened. */
const lost = () => new Error('D1_ERROR: Network connection lost.')

/** A method of a platform object, called with what the wrapper was given. */
function invoke(target: object, name: string | symbol, args: unknown[]): Promise<unknown> {
  const member: unknown = Reflect.get(target, name)
  if (typeof member !== 'function') throw new Error('no such method')
  return Promise.resolve(Reflect.apply(member, target, args))
}

/**
 * A database that counts its calls and, where `fails` says so, loses the answer: the call has
 * happened, and the caller sees an error. `fails` gets the running number of the call, from 1.
 */
export function flakyDatabase(db: D1Database, fails: (call: number) => boolean) {
  const natives = new WeakMap<object, D1PreparedStatement>()
  let calls = 0
  const answer = async <T>(run: () => Promise<T>): Promise<T> => {
    calls += 1
    const mine = calls
    const value = await run()
    if (fails(mine)) throw lost()
    return value
  }
  const wrap = (native: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = new Proxy(native, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values))
        return (...args: unknown[]) => answer(() => invoke(target, name, args))
      },
    })
    natives.set(wrapped, native)
    return wrapped
  }
  const database = new Proxy(db, {
    get(target, name) {
      if (name === 'prepare') return (query: string) => wrap(target.prepare(query))
      if (name === 'batch') {
        return (statements: D1PreparedStatement[]) =>
          answer(() => target.batch(statements.map((one) => natives.get(one) ?? one)))
      }
      return Reflect.get(target, name)
    },
  })
  return { database, calls: () => calls }
}

/** A bucket that notes every write and, where `fails` says so, loses the answer of a call. */
export function watchedBucket(bucket: R2Bucket, fails: (call: number) => boolean = () => false) {
  const written: string[] = []
  let calls = 0
  const proxied = new Proxy(bucket, {
    get(target, name) {
      return async (...args: unknown[]) => {
        calls += 1
        const mine = calls
        if (name === 'put' || name === 'createMultipartUpload') written.push(String(args[0]))
        const value = await invoke(target, name, args)
        if (fails(mine)) throw new Error('put: Network connection lost.')
        return value
      }
    },
  })
  return { bucket: proxied, written, calls: () => calls }
}
