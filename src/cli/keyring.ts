import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { keyIdSchema, organisationIdSchema } from '../protocol/ids.ts'
import { type Signer, toSigner } from '../protocol/jws.ts'
import type { Config } from './config.ts'
import { EXIT } from './exit.ts'
import { codeOf, Failure, messageOf } from './failure.ts'
import { readKeyText } from './key-text.ts'
import { readJsonFile } from './text-file.ts'
import { writeWhole } from './workspace/write-whole.ts'

const WANTED = 'wanted: an Ed25519 private key (PKCS#8 PEM, its base64 on one line, or a JWK)'
const MAKE_ONE = 'failmap keygen   (makes one)'

export const keyFile = (home: string): string => path.join(home, 'key.pem')
const registrationFile = (home: string): string => path.join(home, 'registrations.json')

/**
 * The signing key: `--key FILE`, else `FAILMAP_KEY` or `FAILMAP_SIGNING_KEY` (the key itself or a
 * file), else `key.pem` in the home folder.
 */
export async function loadSigner(
  config: Config,
  flag: string | undefined,
  platform: NodeJS.Platform,
): Promise<Signer> {
  const inline = config.env.FAILMAP_KEY ?? config.env.FAILMAP_SIGNING_KEY
  if (flag !== undefined) return readKeyFile(flag, platform)
  if (inline === undefined) {
    const file = keyFile(config.home)
    if (existsSync(file)) return readKeyFile(file, platform)
    throw new Failure(EXIT.key, 'there is no signing key', {
      why: `neither --key, FAILMAP_KEY nor ${file} is there`,
      next: MAKE_ONE,
    })
  }
  const isPath = !/-----BEGIN|^\s*["']?\{/.test(inline) && existsSync(inline)
  return isPath ? readKeyFile(inline, platform) : toSignerOf(inline, 'FAILMAP_KEY')
}

async function readKeyFile(file: string, platform: NodeJS.Platform): Promise<Signer> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
    requirePrivate(file, platform)
  } catch (error) {
    if (error instanceof Failure) throw error
    const why = codeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error)
    throw new Failure(EXIT.key, `cannot read the key ${file}`, { why, next: MAKE_ONE })
  }
  return toSignerOf(text, file)
}

async function toSignerOf(text: string, source: string): Promise<Signer> {
  const jwk = readKeyText(text)
  if (!jwk.ok) {
    throw new Failure(EXIT.key, `${source} holds no usable signing key`, {
      why: `found ${jwk.error}; ${WANTED}`,
      next: MAKE_ONE,
    })
  }
  const signer = await toSigner(jwk.value)
  if (signer.ok) return signer.value
  throw new Failure(EXIT.key, `${source} holds a damaged key`, {
    why: signer.error.detail,
    next: MAKE_ONE,
  })
}

/** A private key that others on the machine can read is no longer private. */
function requirePrivate(file: string, platform: NodeJS.Platform): void {
  if (platform === 'win32') return
  const mode = statSync(file).mode & 0o777
  if ((mode & 0o077) === 0) return
  throw new Failure(EXIT.key, `the key ${file} can be read by others`, {
    why: `its mode is ${mode.toString(8).padStart(4, '0')}, wanted 0600`,
    next: `chmod 600 ${file}   (and make a new key if others use this machine)`,
  })
}

/** Writes a new key, 0600 in a 0700 folder; an existing file is never replaced. */
export async function createKey(file: string): Promise<Signer> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const draft = `${file}.${process.pid}.new`
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(draft, pem, { mode: 0o600, flag: 'wx' })
    chmodSync(draft, 0o600)
    linkSync(draft, file)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') {
      throw new Failure(EXIT.key, `there is a key already: ${file}`, {
        why: 'a key that was used for submissions cannot be replaced by another',
        next: 'failmap keygen --output OTHER.pem   (makes a second one), or use this one',
      })
    }
    throw new Failure(EXIT.key, `cannot write the key ${file}`, {
      why: messageOf(error),
      next: 'set FAILMAP_HOME to a folder that can be written, or give --output FILE',
      cause: error,
    })
  } finally {
    rmSync(draft, { force: true })
  }
  return toSignerOf(pem, file)
}

/** The key in the form that CI secrets keep intact: PKCS#8 in base64 on one line. */
export function toSingleLine(pem: string): string {
  return createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' }).toString('base64')
}

const registrationsSchema = z.strictObject({
  registrations: z.array(
    z.strictObject({ api: z.string(), key: keyIdSchema, organisation: organisationIdSchema }),
  ),
})
export type Registration = z.infer<typeof registrationsSchema>['registrations'][number]

export function readRegistrations(home: string): Registration[] {
  const file = registrationFile(home)
  if (!existsSync(file)) return []
  const parsed = registrationsSchema.safeParse(readJsonFile(file))
  if (parsed.success) return parsed.data.registrations
  throw new Failure(EXIT.usage, `${file} is damaged`, {
    next: 'failmap register   (after moving the file away)',
  })
}

/** Remembers which organisation the key belongs to at an API. False when nothing can be written. */
export function saveRegistration(home: string, registration: Registration): boolean {
  const others = readRegistrations(home).filter(
    ({ api, key }) => api !== registration.api || key !== registration.key,
  )
  const text = `${JSON.stringify({ registrations: [...others, registration] }, null, 2)}\n`
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    writeWhole(registrationFile(home), text)
    return true
  } catch {
    return false
  }
}

/** The organisation that signs: stated, or remembered from `failmap register`. */
export function organisationOf(config: Config, keyId: string): string {
  if (config.organisation !== undefined) {
    if (organisationIdSchema.safeParse(config.organisation).success) return config.organisation
    throw new Failure(EXIT.usage, `"${config.organisation}" is not an organisation id`, {
      next: 'give the id that failmap register printed: org_…',
    })
  }
  const known = readRegistrations(config.home).find(
    ({ api, key }) => api === config.apiOrigin && key === keyId,
  )
  if (known !== undefined) return known.organisation
  throw new Failure(EXIT.key, `this key is not registered at ${config.apiOrigin}`, {
    why: `${keyId} has no organisation there that this machine knows of`,
    next: 'failmap register --name NAME   (or set FAILMAP_ORGANISATION=org_…)',
  })
}
