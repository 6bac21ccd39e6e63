import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { HtmlEscapedString } from 'hono/utils/html'

/** A whole HTML document, escaped and with its doctype; `c.html()` takes it as it is. */
export type Page = HtmlEscapedString | Promise<HtmlEscapedString>

/**
 * The headers every page is served with: no script at all, styles and images from this origin only.
 * A hostile string that slipped past escaping would still find nothing that runs it.
 */
export const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** hono's `c.html(<html>)` sends no doctype, and without one browsers fall back to quirks mode. */
export function asDocument(root: Child): Page {
  return html`<!doctype html>${root}`
}
