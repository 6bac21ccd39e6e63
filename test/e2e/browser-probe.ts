/// <reference lib="dom" />
/// <reference lib="dom.iterable" />

// Functions that run inside the page: each is sent there as text, so none may use anything outside itself.

/** Elements wider than the page or than the box that clips them, as readable selectors. */
export function findOverflow(): string[] {
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`
  const page = document.documentElement
  const found = page.scrollWidth > page.clientWidth ? ['page'] : []
  for (const element of document.querySelectorAll('.scroll, table, dl, section, h1')) {
    if (element.scrollWidth > element.clientWidth + 1) {
      found.push(
        `${name(element)} in ${element.closest('section')?.getAttribute('aria-labelledby')}`,
      )
    }
  }
  return found
}

/** Texts whose contrast with what lies behind them is below 4.5, with the ratio (WCAG 2.2, 1.4.3). */
export function findFaintText(): string[] {
  const channel = (value: number) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  const read = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = read(color).map((part) => channel(part / 255))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const isClear = (color: string) => color === 'transparent' || read(color)[3] === 0
  const behind = (element: Element): string => {
    const cell = element.tagName === 'text' ? element.parentElement?.querySelector('rect') : null
    if (cell) return getComputedStyle(cell).fill
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at)
      if (!isClear(backgroundColor)) return backgroundColor
    }
    return 'rgb(255, 255, 255)'
  }
  const faint = new Set<string>()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement
    const text = node.textContent?.trim() ?? ''
    if (element === null || text === '' || element.getClientRects().length === 0) continue
    const style = getComputedStyle(element)
    const front = luminance(element.tagName === 'text' ? style.fill : style.color)
    const back = luminance(behind(element))
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)
    if (ratio < 4.5) faint.add(`${ratio.toFixed(2)} ${text.slice(0, 40)}`)
  }
  return [...faint]
}

/** What could run code: script elements and attributes that hold handlers. */
export function findScripts(): string[] {
  const found: string[] = []
  for (const element of document.querySelectorAll('*')) {
    if (element.tagName === 'SCRIPT') found.push('script')
    for (const { name } of element.attributes) if (name.startsWith('on')) found.push(name)
  }
  return found
}

/** Starts to note the anchor of every link that gets the focus. */
export function recordFocus(): void {
  const walked: string[] = []
  Object.assign(window, { walked })
  document.addEventListener('focusin', (event) => {
    if (event.target instanceof Element) walked.push(event.target.getAttribute('href') ?? '')
  })
}

/** The anchors noted since `recordFocus`. */
export function recordedFocus(): string[] {
  const walked: unknown = Reflect.get(window, 'walked')
  return Array.isArray(walked) ? walked.map(String) : []
}

/** Fill of the first cell of each step of the scale, from fewest fixed to most. */
export function scaleFills(): string[] {
  return [0, 1, 2, 3, 4].map((bin) => {
    const swatch = document.querySelector(`.legend .bin-${bin}`)
    return swatch === null ? '' : getComputedStyle(swatch).fill
  })
}

/** Background of the page as it is painted. */
export function paper(): string {
  return getComputedStyle(document.body).backgroundColor
}
