import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { pullEpoch } from '../pull-epoch.ts'
import type { Verb } from '../verb.ts'

export const pull: Verb = {
  name: 'pull',
  summary: 'fetch the card and the prompts of an epoch, digest checked',
  examples: ['failmap pull', 'failmap pull open-2026-11'],
  build(command) {
    command
      .argument('[epoch]', 'which epoch (default: the newest open one)')
      .option('--epoch <id>', 'the same')
  },
  async run(context, command) {
    const wanted = onlyEpoch(command.args[0], command.opts<{ epoch?: string }>().epoch)
    const { view, folder, isFresh } = await pullEpoch(context, wanted)
    const { card } = view
    return {
      data: {
        epoch: card.id,
        kind: card.kind,
        phase: view.phase,
        categories: card.categories.length,
        tasks: card.prompts.count,
        prompts_sha256: card.prompts.sha256,
        folder,
        fresh: isFresh,
      },
      text: [
        `${card.id}: ${card.title} (${card.kind}, ${view.phase})`,
        `${card.prompts.count} tasks in ${card.categories.length} categories, ${isFresh ? 'pulled' : 'there already'}`,
        `next: failmap run --model NAME --per-category 1`,
      ].join('\n'),
    }
  },
}

function onlyEpoch(argument: string | undefined, option: string | undefined): string | undefined {
  if (argument === undefined || option === undefined || argument === option) {
    return argument ?? option
  }
  throw new Failure(EXIT.usage, `which epoch, ${argument} or ${option}?`, {
    next: `failmap pull ${argument}`,
  })
}
