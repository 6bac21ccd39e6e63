import type { EpochList, EpochPhase } from '../../protocol/epoch.ts'
import { DOMAINS } from '../../protocol/map.ts'
import type { EpochKind } from '../../protocol/policy-data.ts'
import { routePath } from '../../protocol/routes.ts'
import { whole } from './figures.ts'
import { renderLayout } from './layout.tsx'
import type { Page } from './page.ts'
import { Moment } from './time.tsx'

export type HomePage = {
  /** Origin of the API, without a trailing slash. */
  origin: string
  /** Newest first, as `GET /v1/epochs` lists them. */
  epochs: EpochList['epochs']
}

export const KIND_WORDS: Record<EpochKind, string> = {
  open: 'open: all is revealed, unlimited tries',
  live: 'live: reports for everybody at the close',
  room: 'room: a buyer’s own, one try each',
}

export const PHASE_WORDS: Record<EpochPhase, string> = {
  upcoming: 'not open yet',
  open: 'takes submissions',
  closed: 'closed',
}

/** What failmap is, which epochs there are, how to take part. */
export function renderHome({ origin, epochs }: HomePage): Page {
  return renderLayout({
    title: 'Where does this model fail?',
    description: 'Closed-book scores of code models on 256 categories of faults, signed.',
    here: '/',
    children: (
      <>
        <h1>Where does this model fail?</h1>
        <p class="lede">
          A model repairs faulty Python modules; hidden checks that it never sees decide whether
          each repair holds. The outcome is a signed map of 256 categories of faults, which shows
          where its repairs can be relied on and where they only look right.
        </p>
        <section aria-labelledby="epochs">
          <h2 id="epochs">Epochs</h2>
          {epochs.length === 0 ? <NoEpochs /> : <Epochs epochs={epochs} />}
        </section>
        <section aria-labelledby="take-part">
          <h2 id="take-part">Take part with your own model</h2>
          <pre tabindex={0}>
            <code>
              {[
                'failmap keygen',
                `failmap register --api-url ${origin}`,
                'failmap pull',
                'failmap run --model ollama/qwen2.5-coder:7b',
                'failmap submit',
                'failmap report',
              ].join('\n')}
            </code>
          </pre>
          <p>
            The model runs on your machine, and so does the client. What leaves it: the patches and
            what you state about the model, signed with your key. What never leaves the sandbox
            here: hidden checks, expected values, and the verdict of any single task. Only counts
            per category do.
          </p>
        </section>
        <section aria-labelledby="domains">
          <h2 id="domains">Sixteen domains of sixteen categories</h2>
          <ol class="index">
            {DOMAINS.map(({ title }) => (
              <li>{title}</li>
            ))}
          </ol>
        </section>
      </>
    ),
  })
}

function Epochs({ epochs }: Pick<HomePage, 'epochs'>) {
  return (
    <table>
      <caption>
        All epochs, newest first. An epoch is one drawing of all tasks from one secret key.
      </caption>
      <thead>
        <tr>
          <th scope="col">Epoch</th>
          <th scope="col">State</th>
          <th scope="col" class="number wide-only">
            Categories
          </th>
          <th scope="col" class="number wide-only">
            Tasks
          </th>
          <th scope="col" class="wide-only">
            Closes
          </th>
        </tr>
      </thead>
      <tbody>
        {epochs.map((epoch) => (
          <tr>
            <th scope="row">
              <a href={routePath('epochPage', epoch.id)}>{epoch.title}</a>
              <span class="edge">{KIND_WORDS[epoch.kind]}</span>
            </th>
            <td>{PHASE_WORDS[epoch.phase]}</td>
            <td class="number wide-only">{whole(epoch.categories)}</td>
            <td class="number wide-only">{whole(epoch.tasks)}</td>
            <td class="wide-only">
              <Moment at={epoch.closes_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function NoEpochs() {
  return (
    <div class="note">
      <p>
        <strong>No epoch yet.</strong> The operator of this service draws one and uploads its card
        and its prompts, which the <a href={routePath('docs')}>API page</a> describes:
      </p>
      <pre tabindex={0}>
        <code>python3 -m tasks export --epoch live-1 --key-file epoch-key.json --out live-1</code>
      </pre>
      <p>
        On a machine of your own, <code>npm run demo</code> in a clone of failmap starts everything,
        submits, and ends with a map.
      </p>
    </div>
  )
}
