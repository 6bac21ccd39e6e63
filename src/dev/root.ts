import path from 'node:path'

/** The folder that holds package.json. */
export const root = path.resolve(import.meta.dirname, '..', '..')

/** Where the local service keeps its state, keys and logs; never in git. */
export const stateFolder = path.resolve(process.env.FAILMAP_STATE ?? path.join(root, '.failmap'))

/** The Python that the sandbox and the tasks run on. */
export const python = process.env.FAILMAP_PYTHON ?? 'python3'
