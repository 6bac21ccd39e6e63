import type { Verb } from '../verb.ts'

const STEPS = ['failmap keygen', 'failmap register --name "Your organisation"']

/** For people who come from sb-cli: there is no shared secret here and no e-mail. */
export const genApiKey: Verb = {
  name: 'gen-api-key',
  summary: 'says how to get in (there are no API keys here)',
  examples: ['failmap gen-api-key'],
  build(command) {
    command.argument('[email]', 'not needed')
  },
  async run() {
    return {
      data: { api_key: null, steps: STEPS },
      text: [
        'failmap has no API keys and sends no e-mail: you sign with a key that only you hold.',
        ...STEPS.map((step) => `  ${step}`),
      ].join('\n'),
    }
  },
}
