import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { RunOptions } from './options.ts'
import type { Source } from './source.ts'

export function baselineSource(_context: Context, name: string, _options: RunOptions): Source {
  throw new Failure(EXIT.usage, `there is no baseline ${name}`)
}
