import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { stateFolder } from './root.ts'

const secretsSchema = z.strictObject({
  sandboxToken: z.string(),
  operatorToken: z.string(),
  reportSigningKey: z.string(),
  epochKeys: z.record(z.string(), z.string()),
})

/** What a production deployment keeps as secrets; here a file that only its owner reads. */
export type Secrets = z.infer<typeof secretsSchema>

const file = path.join(stateFolder, 'secrets.json')

function save(secrets: Secrets): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
}

/** The secrets of this checkout's local service, made on the first start and kept. */
export function localSecrets(): Secrets {
  if (existsSync(file)) return secretsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  const { privateKey } = generateKeyPairSync('ed25519')
  const secrets: Secrets = {
    sandboxToken: randomBytes(32).toString('base64url'),
    operatorToken: randomBytes(32).toString('base64url'),
    reportSigningKey: JSON.stringify(privateKey.export({ format: 'jwk' })),
    epochKeys: {},
  }
  save(secrets)
  return secrets
}

/** The root key of an epoch: 32 random bytes as base64url, drawn once. */
export function epochKey(secrets: Secrets, epoch: string): string {
  const known = secrets.epochKeys[epoch]
  if (known !== undefined) return known
  const key = randomBytes(32).toString('base64url')
  secrets.epochKeys[epoch] = key
  save(secrets)
  return key
}
