import { readFileSync } from 'node:fs'
import { createKey, keyFile, toSingleLine } from '../keyring.ts'
import type { Verb } from '../verb.ts'

export const keygen: Verb = {
  name: 'keygen',
  summary: 'make an Ed25519 signing key; the private half stays on this machine',
  examples: ['failmap keygen', 'failmap keygen --output ci.pem --single-line'],
  build(command) {
    command
      .option('-o, --output <file>', 'where to write it (default: key.pem in the home folder)')
      .option('--single-line', 'also print the key as one line of base64, for a CI secret')
  },
  async run({ config }, command) {
    const { output, singleLine } = command.opts<{ output?: string; singleLine?: boolean }>()
    const file = output ?? keyFile(config.home)
    const { keyId, jwk } = await createKey(file)
    const secret = singleLine === true ? toSingleLine(readFileSync(file, 'utf8')) : null
    const lines = [
      `${file}  (private, mode 0600)`,
      keyId,
      'next: failmap register --name "Your organisation"',
    ]
    return {
      data: { file, key: keyId, jwk, ...(secret === null ? {} : { single_line: secret }) },
      text: [...lines, ...(secret === null ? [] : [`FAILMAP_KEY=${secret}`])].join('\n'),
    }
  },
}
