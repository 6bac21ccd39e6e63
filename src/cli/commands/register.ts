import { toBase64url } from '../../protocol/base64url.ts'
import { type Signer, signProof } from '../../protocol/jws.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { routePath } from '../../protocol/routes.ts'
import { registeredKeySchema } from '../../protocol/submission.ts'
import { nameSchema } from '../../protocol/text.ts'
import type { Context } from '../context.ts'
import { EXIT } from '../exit.ts'
import { Failure } from '../failure.ts'
import { loadSigner, organisationOf, saveRegistration } from '../keyring.ts'
import type { Verb } from '../verb.ts'

type Options = { name?: string; add?: string }

export const register: Verb = {
  name: 'register',
  aliases: ['login'],
  summary: 'tell the API your public key, with a proof that you hold the private one',
  examples: [
    'failmap register --name "My Lab"',
    'failmap register --add ci.pem      # one more key for the same organisation',
  ],
  build(command) {
    command
      .option('-n, --name <name>', 'name of the new organisation')
      .option('--add <file>', 'register this key too, signed by the key in use')
  },
  async run(context, command) {
    const { name, add } = command.opts<Options>()
    if (name !== undefined && !nameSchema.safeParse(name).success) {
      throw new Failure(EXIT.usage, `"${name}" cannot be an organisation's name`, {
        why: 'it must be one line of 1 to 120 characters that does not start with org_',
      })
    }
    const { config, io } = context
    const own = await context.signer()
    const joining = add === undefined ? null : organisationOf(config, own.keyId)
    const newcomer = add === undefined ? own : await loadSigner(config, add, io.platform)
    const registered = await context.api(joining === null ? null : own).post(
      routePath('keys'),
      {
        ...(name === undefined || joining !== null ? {} : { organisation: name }),
        jwk: newcomer.jwk,
        proof: await proofOf(newcomer, joining ?? name ?? null, context),
      },
      registeredKeySchema,
      joining !== null,
    )
    const isSaved = saveRegistration(config.home, { api: config.apiOrigin, ...registered })
    if (!isSaved) {
      context.warn(
        `the home folder ${config.home} cannot be written; set FAILMAP_ORGANISATION=${registered.organisation}`,
      )
    }
    return {
      data: { api: config.apiOrigin, ...registered },
      text: `registered at ${config.apiOrigin}\n${registered.organisation}\n${registered.key}`,
    }
  },
}

function proofOf(signer: Signer, organisation: string | null, { io, config }: Context) {
  const nowSeconds = Math.floor(io.now() / 1000)
  return signProof(
    {
      iss: signer.keyId,
      aud: config.apiOrigin,
      organisation,
      iat: nowSeconds,
      exp: nowSeconds + LIMITS.proofLifetimeSeconds,
      jti: toBase64url(io.randomBytes(16)),
    },
    signer,
  )
}
