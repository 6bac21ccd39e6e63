import { openReport } from '../../protocol/jws.ts'
import { jwksSchema } from '../../protocol/keys.ts'
import { routePath } from '../../protocol/routes.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { judgePolicy, readPolicy } from '../submit/policy-file.ts'
import { verificationLines } from '../terminal/verification.ts'
import { readJsonFile, readTextFile } from '../text-file.ts'
import type { Verb } from '../verb.ts'
import { keysBeside, newestSignedReport } from '../workspace/reports.ts'

type Options = { jwks?: string; policy?: string }

export const verify: Verb = {
  name: 'verify',
  summary: 'check a signed report, offline when the keys are given as a file',
  examples: [
    'failmap verify                                   # the report fetched last',
    'failmap verify report.jws --jwks jwks.json',
    'failmap verify report.jws --jwks jwks.json --policy buying-policy.json',
    'failmap verify report.jws --api-url https://scores.example   # keys from the server',
  ],
  build(command) {
    command
      .argument('[file]', 'the .jws file of a report (default: the one fetched last)')
      .option('--jwks <file>', "the signer's public keys (/.well-known/jwks.json)")
      .option('--policy <file>', 'thresholds that the report must meet, else exit code 1')
  },
  async run(context, command) {
    const { jwks, policy: policyFile } = command.opts<Options>()
    const [named] = command.args
    const file = named ?? newestSignedReport(context.config.workspace)
    const jwksFile = jwks ?? (named === undefined ? keysBeside(file) : undefined)
    const policy = policyFile === undefined ? null : readPolicy(policyFile)
    const jws = readTextFile(file).trim()
    const keys = jwksFile === undefined ? await fetchKeys(context) : readKeys(jwksFile)
    const opened = await openReport(jws, keys)
    if (!opened.ok) {
      throw new Failure(EXIT.refused, `${file} does not verify`, {
        why: opened.error.detail ?? 'the signature, or the shape under it, is not right',
        next: 'ask for the report again; do not use this one',
      })
    }
    const report = opened.value
    const judged = policy === null ? null : judgePolicy(policy, report)
    const source = jwksFile ?? `${context.config.apiOrigin}${routePath('jwks')}`
    return {
      data: { verified: true, keys: source, report, policy: judged },
      text: verificationLines(report, source, judged, context.paint).join('\n'),
      exit: judged === null || judged.met ? EXIT.done : EXIT.refused,
    }
  },
}

function readKeys(file: string) {
  const parsed = jwksSchema.safeParse(readJsonFile(file))
  if (parsed.success) return parsed.data
  throw new Failure(EXIT.usage, `${file} is not a set of report keys`, {
    next: "save the signer's /.well-known/jwks.json and give it as --jwks",
  })
}

function fetchKeys(context: Context) {
  return context.api(null).get(routePath('jwks'), jwksSchema)
}
