import type { Part } from '../../protocol/part.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { organisationOf } from '../keyring.ts'
import { importPredictions } from '../run/import-predictions.ts'
import { readKept } from '../run/reader.ts'
import { fetchReport } from '../submit/fetch-report.ts'
import { signSubmission } from '../submit/manifest.ts'
import { toModelCard } from '../submit/model-card.ts'
import { type PatchesFile, writePatches } from '../submit/patches-file.ts'
import { upload } from '../submit/upload.ts'
import { describe, exitOf, waitForEnd } from '../submit/wait.ts'
import { practiceText } from '../terminal/practice.ts'
import { reportText } from '../terminal/report.ts'
import type { Verb } from '../verb.ts'
import { type PulledEpoch, requireEpoch } from '../workspace/epochs.ts'
import { Prompts } from '../workspace/prompts.ts'
import { lockExisting, type OpenRun, requireRun } from '../workspace/runs.ts'
import {
  readSubmissionState,
  type SubmissionState,
  saveSubmissionState,
} from '../workspace/submission-state.ts'

type Options = {
  run?: string
  predictions?: string
  format?: string
  model?: string
  epoch?: string
  part: Part
  wait?: boolean
}

export const submit: Verb = {
  name: 'submit',
  summary: 'sign the patches of a run and send them in',
  examples: [
    'failmap submit --wait',
    'failmap submit run-20261130-120000-a1b2c3 --part practice',
    'failmap submit --predictions preds.json --wait',
  ],
  build(command) {
    command
      .argument('[run]', 'run id (default: the newest run)')
      .option('-p, --predictions <file>', 'patches made elsewhere (seven formats are read)')
      .option('--predictions-path <file>', 'the same, as sb-cli spells it')
      .option('--format <name>', 'format of the predictions, if it is not to be detected')
      .option('--model <name>', 'model name for predictions that carry none')
      .option('--epoch <id>', 'epoch of the predictions (default: the one pulled last)')
      .option('--part <part>', 'practice or sealed', readPart, 'sealed')
      .option('--wait', 'follow it until it is scored, then show the report')
      .option('--no-wait', 'come back as soon as the patches are in')
  },
  async run(context, command) {
    const options = command.opts<Options & { predictionsPath?: string }>()
    const predictions = options.predictions ?? options.predictionsPath
    const signer = await context.signer()
    const organisation = organisationOf(context.config, signer.keyId)
    const open =
      predictions === undefined
        ? lockExisting(requireRun(context.config.workspace, command.args[0]), context.io)
        : await importPredictions(context, { ...options, file: predictions })
    const epoch = requireEpoch(context.config.workspace, open.journal.header.epoch.id)
    const prompts = promptsOf(epoch, open)
    try {
      await readKept(open.journal, prompts, context.io)
      const patches = writePatches(open.folder, open.journal, prompts)
      tellCoverage(context, patches)
      const api = context.api(signer)
      const state = await stateFor(context, open, options.part, patches, () =>
        signSubmission({
          signer,
          organisation,
          apiOrigin: context.config.apiOrigin,
          part: options.part,
          view: epoch.view,
          patches: patches.digest,
          model: toModelCard(open.journal),
          nowSeconds: Math.floor(context.io.now() / 1000),
          jti: context.io.randomBytes(16),
        }),
      )
      const sent = await upload(api, state, patches)
      const view = options.wait === true ? await waitForEnd(context, api, sent.id) : sent
      const report =
        view.report !== undefined && options.wait === true
          ? await fetchReport(context, api, view.report, open.id)
          : null
      const text = [
        describe(view),
        practiceText(view),
        report === null ? nextLine(view.state) : reportText(report.report, context),
        report === null ? '' : `report: ${report.file}`,
      ]
      return {
        data: {
          run: open.id,
          patches: patches.digest,
          answered: patches.answered,
          submission: view,
          report: report === null ? null : { file: report.file, jws: report.jwsFile },
        },
        text: text.filter((line) => line !== '').join('\n'),
        exit: exitOf(view, context.io.interrupted),
      }
    } finally {
      prompts.close()
      await open.journal.close()
      open.lock.release()
    }
  },
}

/** Lets the run go where its prompts are refused: the command after a pull has to get it. */
function promptsOf(epoch: PulledEpoch, { journal, lock }: OpenRun): Prompts {
  try {
    return Prompts.open(epoch)
  } catch (error) {
    journal.close().catch(() => {})
    lock.release()
    throw error
  }
}

/** The manifest that was signed before for exactly these bytes, or a new one; kept before it is sent. */
async function stateFor(
  { io, config, tell }: Context,
  { folder }: OpenRun,
  part: Part,
  patches: PatchesFile,
  sign: () => Promise<SubmissionState>,
): Promise<SubmissionState> {
  const before = readSubmissionState(folder)
  const isSame =
    before !== null &&
    before.api === config.apiOrigin &&
    before.part === part &&
    before.patches_sha256 === patches.digest.sha256 &&
    before.expires > io.now() / 1000
  if (isSame) {
    tell(`these patches are submission ${before.submission}; going on with it`)
    return before
  }
  const state = await sign()
  saveSubmissionState(folder, state)
  return state
}

function tellCoverage({ tell }: Context, { answered, digest }: PatchesFile): void {
  const megabytes = (digest.bytes / 1e6).toFixed(1)
  tell(`${digest.count} patch lines (${megabytes} MB), sha256 ${digest.sha256.slice(0, 16)}…`)
  if (answered < digest.count) {
    const missing = digest.count - answered
    tell(`${missing} of ${digest.count} tasks have no patch; each counts as not fixed`)
  }
}

function nextLine(state: string): string {
  return state === 'scored' ? 'next: failmap report' : 'next: failmap watch'
}

function readPart(text: string): Part {
  if (text === 'practice' || text === 'sealed') return text
  throw new Failure(EXIT.usage, `--part is "practice" or "sealed", not "${text}"`)
}
