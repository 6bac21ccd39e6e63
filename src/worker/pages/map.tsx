import { decimal, percent } from './figures.ts'
import { categoryAnchor, domainAnchor, type MapCell, type MapRow } from './grid.ts'

const PITCH = 40
const SIZE = 38
const SIDE = PITCH * 16

/** Steps of the colour scale, in points: one cell's interval is about as wide, so finer steps would show noise. */
const STEP = 20
const BINS = [0, 1, 2, 3, 4] as const

/**
 * The 16x16 grid: row letters and names, cells as links to their table row, each domain's own share.
 * The SVG is a graphics document, not an image: an image would hide its 256 links from assistive technology.
 */
export function FailureMap({ rows, title }: { rows: readonly MapRow[]; title: string }) {
  const hasShares = rows.some((row) => row.share !== undefined)
  return (
    <div class="map">
      <ol class="map-columns" aria-hidden="true">
        {Array.from({ length: 16 }, (_, index) => (
          <li>{index + 1}</li>
        ))}
      </ol>
      <ol class="map-rows">
        {rows.map((row) => (
          <li>
            <a class="map-link" href={`#${domainAnchor(row.slug)}`}>
              <span class="map-letter">{row.letter}</span>
              <span class="map-name">{row.title}</span>
            </a>
          </li>
        ))}
      </ol>
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} aria-labelledby="map-title map-desc">
        <title id="map-title">{title}</title>
        <desc id="map-desc">
          Sixteen rows of sixteen cells. A row is a domain, a cell a category. The table of all
          categories says the same in words.
        </desc>
        <Patterns />
        {rows.map((row, y) => row.cells.map((cell, x) => <Cell cell={cell} x={x} y={y} />))}
      </svg>
      {hasShares ? (
        <ol class="map-shares" aria-hidden="true">
          {rows.map((row) => (
            <li class="number">{row.share === undefined ? '–' : percent(row.share)}</li>
          ))}
        </ol>
      ) : null}
    </div>
  )
}

/** What the colours and patterns mean. */
export function MapLegend() {
  return (
    <ul class="legend">
      {BINS.map((bin) => (
        <li>
          <Swatch class={`bin-${bin}`} />
          {bin === 4 ? '80 % and more' : `${bin * STEP} to under ${bin * STEP + STEP} %`}
        </li>
      ))}
      <li>
        <svg viewBox={`0 0 ${PITCH} ${PITCH}`} aria-hidden="true">
          <rect class="bin-1" x="1" y="1" width={SIZE} height={SIZE} rx="2" />
          <path class="weak-corner" d={corner(0, 0)} />
        </svg>
        weaker than the rest of this model's map
      </li>
      <li>
        <Swatch class="suppressed" fill="url(#pattern-suppressed)" />
        suppressed
      </li>
      <li>
        <Swatch class="not-built" fill="url(#pattern-not-built)" />
        not part of this epoch
      </li>
    </ul>
  )
}

function Cell({ cell, x, y }: { cell: MapCell; x: number; y: number }) {
  const left = x * PITCH + 1
  const top = y * PITCH + 1
  const label = cellLabel(cell)
  const box = { x: left, y: top, width: SIZE, height: SIZE, rx: 2 }
  return (
    <a class="cell" href={`#${categoryAnchor(cell.slug)}`} aria-label={label}>
      <title>{label}</title>
      {cell.state === 'scored' ? (
        <>
          <rect class={`bin-${binOf(cell.share)}`} {...box} />
          <text class={`on-bin-${binOf(cell.share)}`} x={left + SIZE / 2} y={top + SIZE / 2}>
            {Math.round(cell.share * 100)}
          </text>
          {cell.weak ? <path class="weak-corner" d={corner(x * PITCH, y * PITCH)} /> : null}
        </>
      ) : (
        <rect class={cell.state} fill={patternOf(cell.state)} {...box} />
      )}
    </a>
  )
}

function patternOf(state: MapCell['state']): string | undefined {
  return state === 'suppressed' || state === 'not-built' ? `url(#pattern-${state})` : undefined
}

function cellLabel(cell: MapCell): string {
  const name = `${cell.reference} ${cell.title}`
  switch (cell.state) {
    case 'scored': {
      const interval = `${decimal(cell.low * 100)} to ${decimal(cell.high * 100)}`
      const figures = `${cell.fixed} of ${cell.tasks} fixed, ${percent(cell.share)} (${interval})`
      return `${name}: ${figures}${cell.weak ? ', weaker than the rest of this map' : ''}`
    }
    case 'suppressed':
      return `${name}: suppressed, ${cell.why}`
    case 'not-built':
      return `${name}: not part of this epoch`
    case 'drawn':
      return name
  }
}

function Swatch({ class: name, fill }: { class: string; fill?: string }) {
  return (
    <svg viewBox={`0 0 ${PITCH} ${PITCH}`} aria-hidden="true">
      <rect class={name} fill={fill} x="1" y="1" width={SIZE} height={SIZE} rx="2" />
    </svg>
  )
}

/** Referenced by fragment from presentation attributes, which a strict style policy leaves alone. */
function Patterns() {
  return (
    <defs>
      <pattern
        id="pattern-not-built"
        width="8"
        height="8"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <path class="hatch-line" d="M0 0V8" />
      </pattern>
      <pattern id="pattern-suppressed" width="10" height="10" patternUnits="userSpaceOnUse">
        <circle class="hatch-dot" cx="5" cy="5" r="1.8" />
      </pattern>
    </defs>
  )
}

/** The upper right corner of a cell, cut as a triangle. */
function corner(left: number, top: number): string {
  return `M${left + 23} ${top + 1}h16v16z`
}

function binOf(share: number): number {
  return Math.min(BINS.length - 1, Math.floor((share * 100) / STEP))
}
