import { Option } from 'commander'
import { EXIT } from '../exit.ts'
import { openLocalChecker } from '../local-checker.ts'
import { runPool } from '../model/pool.ts'
import { readKept } from '../run/reader.ts'
import { checkText, countChecks, isolationText } from '../terminal/check.ts'
import { Progress } from '../terminal/progress.ts'
import { type Verb, wholeNumber } from '../verb.ts'
import { type Checked, CheckLog } from '../workspace/check-log.ts'
import { findEpoch, requireEpoch } from '../workspace/epochs.ts'
import { Prompts, type TaskEntry } from '../workspace/prompts.ts'
import { latestReport } from '../workspace/reports.ts'
import { lockExisting, requireRun } from '../workspace/runs.ts'

type Options = { lanes: number; isolation: 'auto' | 'unsafe'; failures?: boolean }

export const check: Verb = {
  name: 'check',
  summary: 'run the visible checks of a run on this machine',
  examples: ['failmap check', 'failmap check run-20261130-120000-a1b2c3 --failures'],
  build(command) {
    command
      .argument('[run]', 'run id (default: the newest run)')
      .option('-j, --lanes <n>', 'checks at the same time', wholeNumber(1), 2)
      .option('--failures', 'list what failed, task by task')
      .addOption(
        new Option('--isolation <kind>', 'unsafe runs patches without a jail')
          .choices(['auto', 'unsafe'])
          .default('auto'),
      )
  },
  async run(context, command) {
    const { lanes, isolation, failures } = command.opts<Options>()
    const { io, config } = context
    const entry = requireRun(config.workspace, command.args[0])
    const epoch =
      findEpoch(config.workspace, entry.header.epoch.id) ??
      requireEpoch(config.workspace, entry.header.epoch.id)
    const prompts = Prompts.open(epoch)
    const open = lockExisting(entry, io)
    const log = CheckLog.open(open.folder)
    await readKept(open.journal, prompts, io)
    const tasks = prompts.tasks.filter((task) => open.journal.has(task.instanceId))
    const isOpen = (task: TaskEntry) => {
      const module = open.journal.read(task.instanceId)?.module
      return module !== null && module !== undefined && !log.has(task.instanceId, module)
    }
    const todo = tasks.filter(isOpen)
    const progress = new Progress({
      sink: io.stderr,
      now: io.now,
      total: todo.length,
      done: 0,
      noun: 'checks',
    })
    const listed: Checked[] = []
    let jail: unknown = null
    try {
      if (todo.length > 0) {
        const checker = await openLocalChecker(context, { lanes, isolation })
        jail = checker.isolation
        context.tell(isolationText(jail))
        const stop = new AbortController()
        const interrupt = () => stop.abort()
        io.interrupted.addEventListener('abort', interrupt, { once: true })
        try {
          await runPool(todo[Symbol.iterator](), lanes, stop, async (task) => {
            const module = open.journal.read(task.instanceId)?.module ?? ''
            const prompt = prompts.whole(task)
            const outcome = await checker.check({
              module,
              entryPoint: prompt.entry_point,
              visible: prompt.visible,
            })
            listed.push(log.record(task.instanceId, module, outcome))
            if (!context.isJson) progress.advance(null)
          })
        } finally {
          io.interrupted.removeEventListener('abort', interrupt)
          await checker.close()
        }
        if (!context.isJson) progress.finish()
      }
      const counts = countChecks(tasks, open.journal, log)
      const report = latestReport(config.workspace, open.id)
      return {
        data: { run: open.id, isolation: jail, ...counts, report: report?.id ?? null },
        text: checkText(open.id, counts, report, failures === true ? listed : []),
        exit: io.interrupted.aborted ? EXIT.interrupted : EXIT.done,
      }
    } finally {
      prompts.close()
      await log.close()
      await open.journal.close()
      open.lock.release()
    }
  },
}
