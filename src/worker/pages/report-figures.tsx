import type { Cell, Rate } from '../../protocol/report.ts'
import { IntervalBar, StackedBar } from './bar.tsx'
import { decimal, percent, whole } from './figures.ts'
import { SUPPRESSION_WORDS } from './grid.ts'

/** The three numbers that a reader takes away, each with its meaning in one or two sentences. */
export function Figures({ overall }: { overall: Cell }) {
  if (!overall.shown) {
    return <p class="note">No overall score: {SUPPRESSION_WORDS[overall.why]}.</p>
  }
  const { fixed, gap, overfit, regressed, visible } = overall
  return (
    <div class="figures">
      <div>
        <h2>Fixed, on sealed tasks</h2>
        <Big rate={fixed} unit="%" />
        {fixed.rate === null || fixed.low === null || fixed.high === null ? null : (
          <IntervalBar share={fixed.rate} low={fixed.low} high={fixed.high} />
        )}
        <p>
          {whole(fixed.count)} of {whole(fixed.of)} tasks. {intervalWords(fixed)}
        </p>
      </div>
      <div>
        <h2>Visible-to-hidden gap</h2>
        <Big rate={gap} unit="points" />
        <StackedBar
          parts={[
            { name: 'fixed', count: fixed.count },
            { name: 'gap', count: gap.count },
            { name: 'rest', count: gap.of - gap.count - fixed.count },
          ]}
        />
        <p>
          {shareWords(visible)} of tasks pass the checks the model could see, {shareWords(fixed)}{' '}
          pass the hidden ones too. The gap is what looks repaired and is not: {shareWords(overfit)}{' '}
          of the patches that pass every visible check.
        </p>
      </div>
      <div>
        <h2>Broke something that worked</h2>
        <Big rate={regressed} unit="%" />
        <p>
          Tasks where the patch fails a hidden check that the faulty module passed:{' '}
          {whole(regressed.count)} of {whole(regressed.of)}.
        </p>
      </div>
    </div>
  )
}

/** `95 % interval 60.4 to 62.3 %.` */
export function intervalWords(rate: Rate): string {
  return rate.low === null ? 'No interval.' : `95 % interval ${rangeWords(rate)} %.`
}

/** The interval's ends alone: `54.6 to 56.6`. */
export function rangeWords({ low, high }: Rate): string {
  return low === null || high === null ? '–' : `${decimal(low * 100)} to ${decimal(high * 100)}`
}

/** A share as a percentage, or a dash where there is none. */
export function shareWords({ rate }: Rate): string {
  return rate === null ? '–' : percent(rate)
}

function Big({ rate, unit }: { rate: Rate; unit: string }) {
  return (
    <p class="big">
      {rate.rate === null ? '–' : decimal(rate.rate * 100)}
      <span class="unit"> {unit}</span>
    </p>
  )
}
