import { createHash } from 'node:crypto'
import path from 'node:path'
import { z } from 'zod'
import { instanceIdSchema, sha256Schema } from '../../protocol/ids.ts'
import { type CheckOutcome, checkOutcomeSchema } from '../checker.ts'
import { AppendLog } from './append-log.ts'

const checkedSchema = z.strictObject({
  instance_id: instanceIdSchema,
  module_sha256: sha256Schema,
  ...checkOutcomeSchema.shape,
})
export type Checked = z.infer<typeof checkedSchema>

/** Outcomes of visible checks on this machine, kept by module: the same text is not run again. */
export class CheckLog {
  readonly #log: AppendLog
  readonly #outcomes = new Map<string, Checked>()

  private constructor(log: AppendLog) {
    this.#log = log
    log.scan((record) => {
      const checked = checkedSchema.safeParse(record)
      if (checked.success) this.#outcomes.set(checked.data.instance_id, checked.data)
    })
  }

  static open(folder: string): CheckLog {
    return new CheckLog(new AppendLog(path.join(folder, 'checks.jsonl')))
  }

  has(instanceId: string, module: string): boolean {
    return this.#outcomes.get(instanceId)?.module_sha256 === digestOf(module)
  }

  get(instanceId: string): Checked | undefined {
    return this.#outcomes.get(instanceId)
  }

  record(instanceId: string, module: string, outcome: CheckOutcome): Checked {
    const checked = { instance_id: instanceId, module_sha256: digestOf(module), ...outcome }
    this.#log.append(checked)
    this.#outcomes.set(instanceId, checked)
    return checked
  }

  close(): Promise<void> {
    return this.#log.close()
  }
}

const digestOf = (module: string): string => createHash('sha256').update(module).digest('hex')
