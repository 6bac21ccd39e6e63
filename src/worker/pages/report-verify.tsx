import type { Report } from '../../protocol/report.ts'
import { routePath } from '../../protocol/routes.ts'

/** The exact commands that check this report on a machine that trusts nothing of this page. */
export function VerifyOffline({ report: { iss, id } }: { report: Report }) {
  const jws = `${iss}${routePath('reportJws', id)}`
  const keys = `${iss}${routePath('jwks')}`
  return (
    <section aria-labelledby="verify">
      <h2 id="verify">Verify it yourself, offline</h2>
      <p>
        This page is a view. The report is the signed file; its signature covers every number above.
        Fetch it and the keys, then check them on a machine without a network.
      </p>
      <pre tabindex={0}>
        <code>
          {[
            `curl -fsS -o report.jws ${jws}`,
            `curl -fsS -o jwks.json ${keys}`,
            'failmap verify report.jws --jwks jwks.json',
          ].join('\n')}
        </code>
      </pre>
      <p>
        Keep the keys you fetched once, and compare them with those a second source has. The same
        payload as plain JSON: <a href={routePath('report', id)}>{id}</a>. More on the{' '}
        <a href={routePath('verifyPage')}>verification page</a>.
      </p>
    </section>
  )
}
