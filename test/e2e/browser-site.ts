import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { PAGE_HEADERS, type Page } from '../../src/worker/pages/page.ts'

const PUBLIC = path.join(import.meta.dirname, '..', '..', 'public')
const TYPES: Record<string, string> = { '.css': 'text/css', '.svg': 'image/svg+xml' }

/** The pages under test behind a real address, with the headers they are served with. */
export type Site = { url: string; close(): Promise<void> }

/** Serves each page at its path and `public/` beside them, on a free port of the loopback. */
export async function serveSite(pages: Record<string, Page>): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const page = pages[pathname]
    const answer = page === undefined ? asset(pathname) : document(page)
    answer.then(
      ({ type, body }) => {
        response.writeHead(200, { ...PAGE_HEADERS, 'content-type': type })
        response.end(body)
      },
      () => {
        response.writeHead(404)
        response.end()
      },
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${portOf(server)}`, close: () => closed(server) }
}

async function document(page: Page) {
  return { type: 'text/html; charset=utf-8', body: String(await page) }
}

async function asset(pathname: string) {
  const name = path.basename(pathname)
  return {
    type: TYPES[path.extname(name)] ?? 'application/octet-stream',
    body: await readFile(path.join(PUBLIC, name)),
  }
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('the site has no port')
  return address.port
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
