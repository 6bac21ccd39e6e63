/** `--per_category=1` as `--per-category=1`: both spellings are in use among these tools. */
export function kebabFlags(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  return argv.map((argument, at) => {
    if (!/^--[a-zA-Z]/.test(argument) || (end !== -1 && at > end)) return argument
    const [flag = '', ...value] = argument.split('=')
    return [flag.replaceAll('_', '-'), ...value].join('=')
  })
}
