import type { Jwks } from '../../protocol/keys.ts'
import { routePath } from '../../protocol/routes.ts'
import { renderLayout } from './layout.tsx'
import type { Page } from './page.ts'

export type VerifyPage = {
  /** Origin of the API, without a trailing slash. */
  origin: string
  /** The keys that reports are signed with, old ones included. */
  keys: Jwks['keys']
}

/** How to check a report without trusting this site, and the keys to do it with. */
export function renderVerify({ origin, keys }: VerifyPage): Page {
  return renderLayout({
    title: 'Verify a report',
    description: 'Check a failmap report offline, and the public keys that sign reports.',
    here: '/verify',
    children: (
      <>
        <h1>Verify a report</h1>
        <p class="lede">
          A report is one signed file. Checking it needs that file and the public key, on a machine
          of yours, without a network.
        </p>
        <section aria-labelledby="commands">
          <h2 id="commands">Three commands</h2>
          <pre tabindex={0}>
            <code>
              {[
                `curl -fsS -o report.jws ${origin}/v1/reports/REPORT.jws`,
                `curl -fsS -o jwks.json ${origin}${routePath('jwks')}`,
                'failmap verify report.jws --jwks jwks.json',
              ].join('\n')}
            </code>
          </pre>
          <p>
            The first two fetch; the third opens no connection. It ends with <code>verified</code>{' '}
            and exit code 0, or says what does not hold and ends with another code.
          </p>
        </section>
        <section aria-labelledby="proves">
          <h2 id="proves">What a valid signature proves</h2>
          <ul>
            <li>The numbers are those that this service signed, to the last digit.</li>
            <li>
              They belong to one set of patches, named by its SHA-256, and to one submitter's key.
            </li>
            <li>
              They belong to one epoch, whose secret key was committed to before it opened, and to
              one version of the code that judged.
            </li>
          </ul>
          <p>
            It does not prove which model wrote the patches. To check the scores themselves, wait
            until the epoch's key is revealed: then anybody can draw its tasks and score again.
          </p>
        </section>
        <section aria-labelledby="keys">
          <h2 id="keys">Public keys</h2>
          {keys.length === 0 ? (
            <p class="note">
              This service has no signing key, so it cannot sign reports. Its operator sets one as
              REPORT_SIGNING_KEY.
            </p>
          ) : (
            <>
              <p>
                Ed25519, newest first. Compare the id with one that you have from somewhere else
                than this page; a page can be replaced together with its keys.
              </p>
              <dl class="facts">
                {keys.map((key) => (
                  <>
                    <dt>Key id</dt>
                    <dd class="digest">{key.kid}</dd>
                    <dt>x</dt>
                    <dd class="digest">{key.x}</dd>
                  </>
                ))}
              </dl>
              <p>
                For machines: <a href={routePath('jwks')}>{routePath('jwks')}</a>.
              </p>
            </>
          )}
        </section>
      </>
    ),
  })
}
