import path from 'node:path'

/** The folder that holds package.json. */
export const root = path.resolve(import.meta.dirname, '..', '..')

/** The Python that the sandbox and the tasks run on. */
export const python = process.env.FAILMAP_PYTHON ?? 'python3'
