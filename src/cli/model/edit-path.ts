/** Where a file header of a diff points. Only the name is used: no path is ever opened. */
export type DiffPath = { kind: 'none' } | { kind: 'unsafe' } | { kind: 'file'; path: string }

/**
 * Reads the rest of a `---` or `+++` line: quotes, a time stamp after a tab and the prefixes
 * `a/` `b/` are taken off. Anything that could leave a folder is unsafe: `..`, an absolute path,
 * a drive, a backslash, a control character.
 */
export function readDiffPath(header: string): DiffPath {
  const name = (header.split('\t')[0] ?? '').trim().replace(/^"(.*)"$/, '$1')
  if (name === '/dev/null' || name === '') return { kind: 'none' }
  const path = name.replace(/^[ab]\//, '')
  const isUnsafe =
    path.startsWith('/') ||
    path.startsWith('~') ||
    /^[a-zA-Z]:/.test(path) ||
    path.includes('\\') ||
    /\p{Cc}/u.test(path) ||
    path.split('/').includes('..')
  return isUnsafe ? { kind: 'unsafe' } : { kind: 'file', path }
}
