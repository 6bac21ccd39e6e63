import { Command, InvalidArgumentError } from 'commander'
import type { Context, Outcome } from './context.ts'

/** One verb of the command line. `build` adds arguments and options to an empty command. */
export type Verb = {
  name: string
  aliases?: readonly string[]
  summary: string
  /** Lines of `--help` that show how it is used. */
  examples: readonly string[]
  build: (command: Command) => void
  run: (context: Context, command: Command) => Promise<Outcome>
}

export function toCommand(verb: Verb): Command {
  const command = new Command(verb.name).description(verb.summary)
  if (verb.aliases !== undefined) command.aliases(verb.aliases)
  verb.build(command)
  command.addHelpText(
    'after',
    () => `\nExamples:\n${verb.examples.map((line) => `  ${line}`).join('\n')}`,
  )
  return command
}

/** Parser of an option that counts something. */
export const wholeNumber =
  (least: number) =>
  (text: string): number => {
    const value = Number(text)
    if (!/^\d+$/.test(text.trim()) || !Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number from ${least}.`)
    }
    return value
  }

/** Parser of an option with a fraction, such as a temperature. */
export const number =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() === '' || !(value >= least && value <= most)) {
      throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
    }
    return value
  }

/** Collector for options that can be repeated or take a list with commas. */
export const collect = (text: string, before: string[]): string[] => [
  ...before,
  ...text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
]
