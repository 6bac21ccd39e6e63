import type { Verb } from '../verb.ts'
import { cancel } from './cancel.ts'
import { check } from './check.ts'
import { doctor } from './doctor.ts'
import { genApiKey } from './gen-api-key.ts'
import { keygen } from './keygen.ts'
import { pull } from './pull.ts'
import { quota } from './quota.ts'
import { register } from './register.ts'
import { report } from './report.ts'
import { run } from './run.ts'
import { runs } from './runs.ts'
import { status, watch } from './status.ts'
import { submit } from './submit.ts'
import { verify } from './verify.ts'

/** Every verb, in the order in which `--help` lists them. */
export const VERBS: readonly Verb[] = [
  doctor,
  keygen,
  register,
  pull,
  run,
  check,
  submit,
  status,
  watch,
  report,
  verify,
  runs,
  quota,
  cancel,
  genApiKey,
]
