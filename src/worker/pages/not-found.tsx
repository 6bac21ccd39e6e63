import { routePath } from '../../protocol/routes.ts'
import { renderLayout } from './layout.tsx'
import type { Page } from './page.ts'

/** One page for all that is absent or not for this reader; it repeats nothing of the request. */
export function renderNotFound(): Page {
  return renderLayout({
    title: 'Nothing here',
    description: 'There is no page at this address.',
    children: (
      <>
        <p class="eyebrow">Status 404</p>
        <h1>Nothing here</h1>
        <p class="lede">
          There is no page at this address, or its report has not been released yet.
        </p>
        <p>
          A report of a live epoch appears at its address when the epoch releases all its reports.
          Epochs and their release times are on the <a href={routePath('home')}>front page</a>.
        </p>
      </>
    ),
  })
}
