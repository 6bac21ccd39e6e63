import type { ModelCard } from '../../protocol/manifest.ts'
import type { Report } from '../../protocol/report.ts'
import { whole } from './figures.ts'
import { Moment } from './time.tsx'

const WEIGHTS = 'Weights, SHA-256'

/** Who submitted, and what they say about the model: signed by them, checked by nobody. */
export function Claims({ report }: { report: Report }) {
  const { submission, model, client, usage } = report
  return (
    <section aria-labelledby="claims">
      <h2 id="claims">Who submitted, and what they claim</h2>
      <p>
        The submitter signed the patches and this description of the model. The signature proves who
        sent which bytes. That this model wrote them is the submitter's claim.
      </p>
      <dl class="facts">
        <dt>Organisation</dt>
        <dd>
          {submission.organisation_name ?? 'without a name'}{' '}
          <span class="digest quiet">{submission.organisation}</span>
        </dd>
        <dt>Signed</dt>
        <dd>
          <Moment at={submission.signed_at} />
        </dd>
        {claimsOf(model).map(([name, value]) => (
          <>
            <dt>{name} (claim)</dt>
            <dd class={name === WEIGHTS ? 'digest' : undefined}>
              {value ?? <span class="quiet">not stated</span>}
            </dd>
          </>
        ))}
        <dt>Client</dt>
        <dd>
          {client.name} {client.version}, prompt version {report.prompt_version}
        </dd>
        <dt>Submissions in this epoch</dt>
        <dd>
          {usage === null
            ? 'not limited in this epoch, so a report may be the best of many tries'
            : `${whole(usage.sealed)} sealed and ${whole(usage.practice)} practice submissions by this organisation`}
        </dd>
      </dl>
    </section>
  )
}

function claimsOf(model: ModelCard): [name: string, value: string | null][] {
  const { server, sampling } = model
  const drawn = Object.entries(sampling).flatMap(([name, value]) =>
    value === null ? [] : [`${name.replaceAll('_', ' ')} ${value}`],
  )
  return [
    ['Model', model.name],
    ['Provider', model.provider],
    ['Parameters', model.parameters === null ? null : whole(model.parameters)],
    ['Quantisation', model.quantisation],
    [WEIGHTS, model.weights_sha256],
    ['Server', server === null ? null : [server.name, server.version].filter(Boolean).join(' ')],
    ['Context length', model.context_length === null ? null : whole(model.context_length)],
    ['Sampling', drawn.length === 0 ? null : drawn.join(', ')],
  ]
}
