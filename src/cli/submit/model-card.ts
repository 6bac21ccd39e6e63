import { z } from 'zod'
import { LIMITS } from '../../protocol/limits.ts'
import type { ModelCard } from '../../protocol/manifest.ts'
import type { Journal } from '../workspace/journal.ts'

/** What a run learned about its model from the server; kept in the journal as a fact. */
export const identityFactSchema = z.object({
  server: z.string().nullable(),
  provider: z.string().nullable(),
  weights_sha256: z.string().nullable(),
  parameters: z.string().nullable(),
  quantisation: z.string().nullable(),
  context_length: z.number().nullable(),
})
export type IdentityFact = z.infer<typeof identityFactSchema>

/** The model as the manifest states it: what is known, null for the rest. */
export function toModelCard(journal: Journal): ModelCard {
  const { settings } = journal.header
  const known = identityFactSchema.safeParse(journal.facts.get('identity')).data
  const served = journal.facts.get('served_model')
  return {
    name: nameOf(settings.model, typeof served === 'string' ? served : null),
    provider: settings.source === 'baseline' ? 'failmap' : oneLineOrNull(known?.provider),
    parameters: readParameters(known?.parameters ?? null),
    quantisation: oneLineOrNull(known?.quantisation),
    weights_sha256: known?.weights_sha256 ?? null,
    server: readServer(known?.server ?? null),
    context_length: settings.num_ctx ?? known?.context_length ?? null,
    sampling: {
      temperature: settings.temperature,
      top_p: settings.top_p,
      top_k: null,
      seed: settings.seed,
      max_tokens: settings.max_tokens,
    },
  }
}

/** Both names, where a server answered under another one and the user accepted that. */
function nameOf(asked: string, served: string | null): string {
  if (served === null || asked.toLowerCase().includes(served.toLowerCase())) return oneLine(asked)
  return oneLine(`${asked} (served as ${served})`)
}

function readServer(text: string | null): ModelCard['server'] {
  if (text === null) return null
  const [name = '', ...version] = oneLine(text).split(' ')
  return { name, version: version.length === 0 ? null : version.join(' ') }
}

/** `7.6B`, `135M` or a plain number, as a count. */
export function readParameters(text: string | null): number | null {
  const [, digits, unit = ''] = /^\s*([\d.]+)\s*([KMBT]?)/i.exec(text ?? '') ?? []
  if (digits === undefined) return null
  const scale = { '': 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 }[unit.toUpperCase()] ?? 1
  const count = Math.round(Number(digits) * scale)
  return Number.isSafeInteger(count) ? count : null
}

const oneLineOrNull = (text: string | null | undefined): string | null =>
  text ? oneLine(text) : null

/** A foreign text as the one line that a name may be. */
function oneLine(text: string): string {
  const plain = text
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, LIMITS.nameCharacters)
    .trim()
  return plain === '' ? 'unnamed' : plain.toWellFormed()
}
