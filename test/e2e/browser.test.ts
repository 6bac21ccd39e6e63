import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CATEGORIES } from '../../src/protocol/map.ts'
import { openBrowser } from './browser.ts'
import { samplePages } from './browser-pages.ts'
import {
  findFaintText,
  findOverflow,
  findScripts,
  paper,
  recordedFocus,
  recordFocus,
  scaleFills,
} from './browser-probe.ts'
import { type Site, serveSite } from './browser-site.ts'

const PAGES = Object.keys(samplePages())
const SCHEMES = ['light', 'dark'] as const
const WIDTHS = [360, 768, 1280]
// CSS pixels between the default margins of an A4 sheet.
const A4 = { width: 718, height: 1047 }

let browser: Browser
let site: Site
let shots: string

beforeAll(async () => {
  browser = await openBrowser()
  site = await serveSite(samplePages())
  shots = process.env.FAILMAP_SCREENSHOTS ?? (await mkdtemp(path.join(tmpdir(), 'failmap-pages-')))
  console.info(`screenshots: ${shots}`)
})

afterAll(async () => {
  await browser?.close()
  await site?.close()
})

/** Opens a page, hands it over with whatever it complained about, and closes it. */
async function visit(
  where: string,
  look: (page: Page, complaints: string[]) => Promise<void>,
): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`)
  })
  try {
    await page.goto(site.url + where, { waitUntil: 'load' })
    await look(page, complaints)
  } finally {
    await page.close()
  }
}

const takePicture = (page: Page, where: string, what: string) =>
  page.screenshot({ path: path.join(shots, `${where.slice(1) || 'home'}-${what}.png`) })

describe.each(PAGES)('the page %s', (where) => {
  test('loads without a complaint, fits every width, reads well in light, dark and print', async () => {
    await visit(where, async (page, complaints) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        expect(await page.evaluate(findOverflow), `${width} px`).toEqual([])
        for (const colorScheme of SCHEMES) {
          await page.emulateMedia({ colorScheme })
          expect(await page.evaluate(findFaintText), colorScheme).toEqual([])
          if (width !== 768) await takePicture(page, where, `${width}-${colorScheme}`)
        }
      }
      await page.setViewportSize(A4)
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
      expect(await page.evaluate(paper)).toBe('rgb(255, 255, 255)')
      expect(await page.evaluate(findFaintText), 'print').toEqual([])
      expect(await page.evaluate(findOverflow), 'print').toEqual([])
      await takePicture(page, where, 'print')
      expect(await page.evaluate(findScripts)).toEqual([])
      expect(complaints).toEqual([])
    })
  })
})

describe('the map', () => {
  test('is walked cell by cell with the Tab key', async () => {
    await visit('/report', async (page) => {
      await page.getByRole('link', { name: 'Skip the map' }).focus()
      await page.evaluate(recordFocus)
      for (let step = 0; step < 16 + 256; step += 1) await page.keyboard.press('Tab')
      const walked = await page.evaluate(recordedFocus)
      expect(walked.slice(16)).toEqual(CATEGORIES.map(({ slug }) => `#category-${slug}`))
      await page.keyboard.press('Enter')
      expect(await page.locator('tr:target').textContent()).toContain(CATEGORIES.at(-1)?.title)
    })
  })

  test('is skipped by one link', async () => {
    await visit('/report', async (page) => {
      await page.getByRole('link', { name: 'Skip the map' }).click()
      expect(await page.locator('h2:target').textContent()).toBe('All categories')
    })
  })

  test('tells every cell to assistive technology', async () => {
    await visit('/report', async (page) => {
      const session = await page.context().newCDPSession(page)
      const { nodes } = await session.send('Accessibility.getFullAXTree')
      const links = nodes.filter((node) => !node.ignored && node.role?.value === 'link')
      const cells = links.filter((node) => /^[A-P]\d+ .+: /.test(String(node.name?.value)))
      expect(cells.length).toBe(256)
    })
  })

  test.each(SCHEMES)('orders its scale by lightness alone in %s', async (colorScheme) => {
    await visit('/report', async (page) => {
      await page.emulateMedia({ colorScheme })
      const ground = lightness(await page.evaluate(paper))
      const contrasts = (await page.evaluate(scaleFills)).map((fill) =>
        Math.abs(lightness(fill) - ground),
      )
      const steps = contrasts.slice(1).map((contrast, index) => (contrasts[index] ?? 0) - contrast)
      expect(steps.length).toBe(4)
      // Of 100; a difference of about one is the least that can be seen at all.
      expect(Math.min(...steps)).toBeGreaterThan(8)
    })
  })
})

describe('names that strangers chose', () => {
  test('are shown as text and run nothing', async () => {
    await visit('/hostile', async (page, complaints) => {
      expect(await page.title()).not.toBe('taken')
      expect(await page.locator('h1').textContent()).toContain('<script>')
      expect(await page.evaluate(findScripts)).toEqual([])
      expect(complaints).toEqual([])
    })
  })
})

/** CIE lightness (0 black, 100 white) of `rgb(r, g, b)`: what remains of a colour without its hue. */
function lightness(color: string): number {
  const linear = (color.match(/\d+/g) ?? []).slice(0, 3).map((part) => {
    const value = Number(part) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  const [red = 0, green = 0, blue = 0] = linear
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return luminance <= 0.008856 ? 903.3 * luminance : 116 * Math.cbrt(luminance) - 16
}
