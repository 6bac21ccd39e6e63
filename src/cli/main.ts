import { Command, CommanderError } from 'commander'
import { kebabFlags } from './arguments.ts'
import { run } from './commands/run.ts'
import { VERBS } from './commands/verbs.ts'
import { type Context, createContext, type GlobalOptions, type Outcome } from './context.ts'
import { EXIT, EXIT_HELP, type Exit } from './exit.ts'
import { Failure, machineFailure } from './failure.ts'
import type { Io } from './io.ts'
import { CLIENT } from './package-info.ts'
import { collectEarly } from './small-heap.ts'
import { toCommand } from './verb.ts'

/** Runs one command line. stdout gets data, stderr talk; the answer is the exit code. */
export async function main(argv: readonly string[], io: Io): Promise<Exit> {
  const ending: { exit: Exit } = { exit: EXIT.done }
  const program = createProgram(io, ending, argv)
  try {
    await program.parseAsync(kebabFlags(argv), { from: 'user' })
    return ending.exit
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage
    if (io.interrupted.aborted) {
      io.stderr.write('failmap: stopped; nothing is lost, the same command goes on\n')
      return EXIT.interrupted
    }
    const failure = thrown instanceof Failure ? thrown : (machineFailure(thrown) ?? asBug(thrown))
    if (argv.includes('--json')) io.stdout.write(`${JSON.stringify(toJson(failure))}\n`)
    io.stderr.write(failure.render())
    return failure.exit
  }
}

function createProgram(io: Io, ending: { exit: Exit }, argv: readonly string[]): Command {
  const program = new Command('failmap')
    .description('Find out where a code model fails: 256 categories, hidden checks, a signed map.')
    .version(`${CLIENT.name} ${CLIENT.version}`, '-V, --version')
    .option('--json', 'one JSON document on stdout, for scripts')
    .option('--no-color', 'plain text (as with NO_COLOR)')
    .option('--api-url <url>', 'address of the failmap API (FAILMAP_API_URL)')
    .option('--workspace <folder>', 'prompts, runs and reports (default: failmap-work)')
    .option('--home <folder>', 'keys and settings (FAILMAP_HOME, default: ~/.failmap)')
    .option('--organisation <id>', 'organisation id, if not registered from this machine')
    .option('--key <file>', 'signing key (FAILMAP_KEY, default: key.pem in the home folder)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns,
      getErrHelpWidth: () => io.stderr.columns,
    })
    .showHelpAfterError('(failmap --help shows the commands)')
    .addHelpText('after', () => `\n${FIRST_STEPS}\n\n${EXIT_HELP}`)
  for (const verb of VERBS) {
    const command = toCommand(verb)
      .copyInheritedSettings(program)
      .action(async () => {
        const options = command.optsWithGlobals<GlobalOptions>()
        const context = createContext(options, io, argv)
        // Asking a model decides for itself.
        if (verb !== run) collectEarly()
        try {
          finish(await verb.run(context, command), context, ending)
        } finally {
          await context.close()
        }
      })
    program.addCommand(command)
  }
  return program
}

const FIRST_STEPS = `First steps:
  failmap doctor                            what is running, what is missing
  failmap keygen && failmap register --name "My Lab"
  failmap run --model ollama/qwen2.5-coder:7b --per-category 1
  failmap submit --wait`

function finish(outcome: Outcome, { io, isJson }: Context, ending: { exit: Exit }): void {
  ending.exit = outcome.exit ?? EXIT.done
  if (isJson) io.stdout.write(`${JSON.stringify(outcome.data)}\n`)
  else if (outcome.text !== '') io.stdout.write(`${outcome.text.replace(/\n*$/, '')}\n`)
}

function toJson({ exit, message, why, next }: Failure) {
  return { error: { exit, what: message, why: why ?? null, next: next ?? null } }
}

/** What nobody foresaw: the text is for a bug report. */
function asBug(thrown: unknown): Failure {
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return new Failure(EXIT.refused, 'something broke inside the client', {
    why: stack,
    next: 'please report this text; a run keeps its journal and can be resumed',
  })
}
