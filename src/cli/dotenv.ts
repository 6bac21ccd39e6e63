/**
 * Variables of a `.env` file: `NAME=value`, `export NAME="value"`, comments.
 *
 * In double quotes `\n` stays as written, since a key reader accepts both forms of a line break.
 */
export function parseDotenv(text: string): Record<string, string> {
  const values: Record<string, string> = {}
  const entry =
    /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|([^\r\n]*))/gm
  for (const [, name, double, single, bare] of text.matchAll(entry)) {
    if (name === undefined) continue
    values[name] = double ?? single ?? (bare ?? '').replace(/(?:^|\s)#.*$/, '').trim()
  }
  return values
}
