/** A share from 0 to 1 with the interval around it, on one common scale from 0 to 100 %. */
export type Interval = { share: number; low: number; high: number }

/** The bar repeats figures that stand beside it in words, so it is hidden from assistive technology. */
export function IntervalBar({ share, low, high }: Interval) {
  return (
    <svg class="bar" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
      <rect class="bar-track" x="0" y="6" width="100" height="2" />
      <rect class="bar-share" x="0" y="3" width={share * 100} height="8" />
      <path
        class="bar-interval"
        d={`M${low * 100} 7H${high * 100}M${low * 100} 1V13M${high * 100} 1V13`}
      />
    </svg>
  )
}

/** Parts of a whole, side by side; each part's class gives its fill. */
export function StackedBar({ parts }: { parts: readonly { name: string; count: number }[] }) {
  const total = parts.reduce((sum, part) => sum + part.count, 0)
  let at = 0
  return (
    <svg class="stack" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">
      {parts.map(({ name, count }) => {
        const width = total === 0 ? 0 : (100 * count) / total
        const x = at
        at += width
        return (
          <rect
            class={`stack-${name}`}
            x={x}
            y="0"
            width={width}
            height="14"
            vector-effect="non-scaling-stroke"
          />
        )
      })}
    </svg>
  )
}
