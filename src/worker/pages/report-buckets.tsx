import type { Cell, Rate } from '../../protocol/report.ts'
import { BUCKETS, type Bucket } from '../../protocol/tally.ts'
import { StackedBar } from './bar.tsx'
import { percent, whole } from './figures.ts'
import { shareWords } from './report-figures.tsx'

const BUCKET_WORDS: Record<Bucket, { name: string; meaning: string }> = {
  fixed: { name: 'Fixed', meaning: 'passes every visible and every hidden check' },
  wrong: { name: 'Wrong', meaning: 'loads and runs, and fails a check' },
  crashed: { name: 'Crashed', meaning: 'its process died while it was checked' },
  timed_out: { name: 'Timed out', meaning: 'takes far longer than the reference, twice' },
  invalid: { name: 'Invalid', meaning: 'does not load, or is over a limit' },
  no_answer: { name: 'No answer', meaning: 'no module was submitted; it counts as not fixed' },
}

/** Where every sealed task ended, and what the counts beside the buckets tell. */
export function Buckets({ overall }: { overall: Cell }) {
  if (!overall.shown) return null
  const { counts, precision } = overall
  const shareOf = (count: number) => (counts.tasks === 0 ? '–' : percent(count / counts.tasks))
  return (
    <section aria-labelledby="buckets">
      <h2 id="buckets">Where every task ended</h2>
      <StackedBar parts={BUCKETS.map((name) => ({ name, count: counts[name] }))} />
      <div class="scroll">
        <table>
          <caption>Each of {whole(counts.tasks)} sealed tasks is in exactly one bucket.</caption>
          <thead>
            <tr>
              <th scope="col">Bucket</th>
              <th scope="col">Meaning</th>
              <th scope="col" class="number">
                Tasks
              </th>
              <th scope="col" class="number">
                Share
              </th>
            </tr>
          </thead>
          <tbody>
            {BUCKETS.map((name) => (
              <tr>
                <th scope="row">
                  <svg class="key" viewBox="0 0 10 10" aria-hidden="true">
                    <rect class={`stack-${name}`} width="10" height="10" />
                  </svg>
                  {BUCKET_WORDS[name].name}
                </th>
                <td>{BUCKET_WORDS[name].meaning}</td>
                <td class="number">{whole(counts[name])}</td>
                <td class="number">{shareOf(counts[name])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl class="facts">
        <dt>Trapped</dt>
        <dd>{rateWords(overall.trapped)} behave like a plausible fix that is known to be wrong.</dd>
        <dt>Faults mended</dt>
        <dd>
          {rateWords(overall.faults)} of the injected faults; some modules carry two, so that half a
          repair shows.
        </dd>
        <dt>Size of the change</dt>
        <dd>
          {precision.ratio === null
            ? 'No line count.'
            : `${precision.ratio.toFixed(2)} lines changed for each line that had to change; 1 is a precise repair, more is rewriting.`}
        </dd>
      </dl>
    </section>
  )
}

function rateWords(rate: Rate): string {
  return `${whole(rate.count)} of ${whole(rate.of)} (${shareWords(rate)})`
}
