import type { Child } from 'hono/jsx'
import { asDocument, type Page } from './page.ts'

export type LayoutProps = {
  /** Of the document, without the site's name. */
  title: string
  /** One sentence for search engines and link previews. */
  description: string
  /** The navigation entry that is the current page, if any. */
  here?: '/' | '/verify' | '/docs'
  children: Child
}

const NAVIGATION = [
  { href: '/', label: 'Epochs' },
  { href: '/verify', label: 'Verify' },
  { href: '/docs', label: 'API' },
] as const

/** Frame of every page: skip link, masthead, navigation, footer with the plainest limit of all. */
export function renderLayout({ title, description, here, children }: LayoutProps): Page {
  return asDocument(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · failmap`}</title>
        <meta name="description" content={description} />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/failmap.css" />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <header class="masthead">
          <div class="wrap">
            <a class="brand" href="/">
              <Mark />
              <span>failmap</span>
            </a>
            <nav aria-label="Site">
              {NAVIGATION.map((entry) => (
                <a href={entry.href} aria-current={entry.href === here ? 'page' : undefined}>
                  {entry.label}
                </a>
              ))}
            </nav>
          </div>
        </header>
        <main id="content" class="wrap" tabindex={-1}>
          {children}
        </main>
        <footer class="colophon">
          <div class="wrap">
            <p>
              failmap scores models that repair Python modules, closed-book: hidden checks never
              leave the sandbox, and only counts per category do.
            </p>
            <p>
              A signature proves who sent which bytes. It does not prove which model, or whether a
              person, wrote them.
            </p>
          </div>
        </footer>
      </body>
    </html>,
  )
}

/** The wordmark's sign: sixteen cells, three of them failing. */
function Mark() {
  const failing = new Set([2, 7, 9])
  return (
    <svg class="mark" viewBox="0 0 19 19" width="19" height="19" aria-hidden="true">
      {Array.from({ length: 16 }, (_, index) => (
        <rect
          class={failing.has(index) ? 'mark-failing' : 'mark-fixed'}
          x={(index % 4) * 5}
          y={Math.floor(index / 4) * 5}
          width="4"
          height="4"
        />
      ))}
    </svg>
  )
}
