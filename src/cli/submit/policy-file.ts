import { z } from 'zod'
import { originSchema } from '../../protocol/origin.ts'
import type { Cell, Rate, Report } from '../../protocol/report.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { readJsonFile } from '../text-file.ts'

const share = z.number().min(0).max(1)

/** Limits for one part of the map; shares from 0 to 1. */
const limitsSchema = z.strictObject({
  fixed_at_least: share.optional(),
  gap_at_most: share.optional(),
  regressed_at_most: share.optional(),
  trapped_at_most: share.optional(),
})
type Limits = z.infer<typeof limitsSchema>

/** What a buyer demands of a report. */
const policySchema = z.strictObject({
  policy: z.literal(1),
  /** Origin of the API that must have signed. */
  issuer: originSchema.optional(),
  epoch: z.string().optional(),
  organisation: z.string().optional(),
  /** `rate`: the measured share counts. `interval`: the worse end of its 95 % interval does. */
  compare: z.enum(['rate', 'interval']).default('rate'),
  overall: limitsSchema.optional(),
  domains: z.record(z.string(), limitsSchema).optional(),
  categories: z.record(z.string(), limitsSchema).optional(),
})
export type Policy = z.infer<typeof policySchema>

export type Judgement = { met: boolean; findings: { what: string; met: boolean; found: string }[] }

export function readPolicy(file: string): Policy {
  const parsed = policySchema.safeParse(readJsonFile(file))
  if (parsed.success) return parsed.data
  throw new Failure(EXIT.usage, `${file} is not a policy`, {
    why: z.prettifyError(parsed.error).replace(/\s+/g, ' '),
    next: 'a policy looks like {"policy": 1, "overall": {"fixed_at_least": 0.6}}',
  })
}

/** Holds a verified report against a policy. A cell that is not shown meets no limit. */
export function judgePolicy(policy: Policy, report: Report): Judgement {
  const findings: Judgement['findings'] = []
  const equal = (what: string, wanted: string | undefined, found: string) => {
    if (wanted !== undefined)
      findings.push({ what: `${what} is ${wanted}`, met: wanted === found, found })
  }
  equal('issuer', policy.issuer, report.iss)
  equal('epoch', policy.epoch, report.epoch.id)
  equal('organisation', policy.organisation, report.submission.organisation)
  const judgeCell = (name: string, limits: Limits, cell: Cell | undefined) => {
    findings.push(...judgeLimits(name, limits, cell, policy.compare))
  }
  if (policy.overall !== undefined) judgeCell('overall', policy.overall, report.overall)
  for (const [slug, limits] of Object.entries(policy.domains ?? {})) {
    judgeCell(slug, limits, report.domains.find((domain) => domain.slug === slug)?.cell)
  }
  for (const [slug, limits] of Object.entries(policy.categories ?? {})) {
    judgeCell(slug, limits, report.categories.find((category) => category.slug === slug)?.cell)
  }
  return { met: findings.every(({ met }) => met), findings }
}

function judgeLimits(
  name: string,
  limits: Limits,
  cell: Cell | undefined,
  compare: Policy['compare'],
): Judgement['findings'] {
  if (cell === undefined || !cell.shown) {
    const found = cell === undefined ? 'not in the report' : `not shown: ${cell.why}`
    return [{ what: `${name} has numbers`, met: false, found }]
  }
  const findings: Judgement['findings'] = []
  const least = (what: string, limit: number | undefined, rate: Rate) => {
    if (limit === undefined) return
    const found = compare === 'rate' ? rate.rate : rate.low
    findings.push(
      finding(`${name}: ${what} at least ${percent(limit)}`, found, (value) => value >= limit),
    )
  }
  const most = (what: string, limit: number | undefined, rate: Rate) => {
    if (limit === undefined) return
    const found = compare === 'rate' ? rate.rate : rate.high
    findings.push(
      finding(`${name}: ${what} at most ${percent(limit)}`, found, (value) => value <= limit),
    )
  }
  least('fixed', limits.fixed_at_least, cell.fixed)
  most('gap', limits.gap_at_most, cell.gap)
  most('regressed', limits.regressed_at_most, cell.regressed)
  most('trapped', limits.trapped_at_most, cell.trapped)
  return findings
}

function finding(what: string, found: number | null, meets: (value: number) => boolean) {
  return {
    what,
    met: found !== null && meets(found),
    found: found === null ? 'no number' : percent(found),
  }
}

const percent = (value: number): string => `${(value * 100).toFixed(1)} %`
