import { createPrivateKey, type KeyObject } from 'node:crypto'
import { type PrivateJwk, readPrivateJwk } from '../protocol/keys.ts'
import { err, ok, type Result } from '../protocol/result.ts'

/** What was found in place of a key; a sentence part without any key material. */
export type KeyFault = string

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/
const WANTED = 'PRIVATE KEY'

const OTHER_PEMS: Record<string, string> = {
  'PUBLIC KEY': 'a public key; signing needs the private one',
  'RSA PRIVATE KEY': 'an RSA private key',
  'RSA PUBLIC KEY': 'an RSA public key',
  'EC PRIVATE KEY': 'an EC private key',
  'DSA PRIVATE KEY': 'a DSA private key',
  'ENCRYPTED PRIVATE KEY': 'a private key that is locked with a passphrase',
  CERTIFICATE: 'a certificate',
}

/**
 * Reads an Ed25519 private key in any form that survives a shell, a CI secret or an editor: PKCS#8
 * PEM with real, escaped or lost line breaks, quotes around it, CRLF, a byte-order mark; one line
 * of base64; or a JWK.
 */
export function readKeyText(text: string): Result<PrivateJwk, KeyFault> {
  const plain = text
    .replace(/^\ufeff/, '')
    .trim()
    .replace(/^(['"])([\s\S]*)\1$/, '$2')
    .replace(/\\r/g, '')
    .replace(/\\n/g, '\n')
    .trim()
  if (plain === '') return err('nothing')
  if (plain.includes('\u0000')) return err('a binary or UTF-16 file')
  if (plain.startsWith('{')) return readJwkText(plain)
  if (/^(ssh-|ecdsa-)/.test(plain)) return err('an OpenSSH public key')
  const [, label, body = ''] = PEM.exec(plain) ?? []
  if (label !== undefined) return readPem(label, body)
  if (plain.includes('-----BEGIN')) return err('a PEM that is cut off or damaged')
  if (/^[A-Za-z0-9+/_=\s-]+$/.test(plain)) return readDer(plain)
  return err('text that is no key')
}

function readPem(label: string, body: string): Result<PrivateJwk, KeyFault> {
  if (label === 'OPENSSH PRIVATE KEY') {
    const kind = /ssh-(ed25519|rsa|dss)|ecdsa-sha2/.exec(
      Buffer.from(body, 'base64').toString('latin1'),
    )?.[0]
    return err(`an OpenSSH private key${kind === undefined ? '' : ` (${kind})`}`)
  }
  if (label !== WANTED) return err(OTHER_PEMS[label] ?? `a PEM of another kind`)
  return readDer(body)
}

function readDer(base64: string): Result<PrivateJwk, KeyFault> {
  const der = Buffer.from(base64.replace(/\s+/g, ''), 'base64')
  if (der[0] === 0x7b) return readJwkText(der.toString('utf8'))
  let key: KeyObject
  try {
    key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  } catch {
    return err('base64 that holds no PKCS#8 private key (cut off or damaged?)')
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    return err(`a private key for ${key.asymmetricKeyType ?? 'another algorithm'}`)
  }
  return readJwk(key.export({ format: 'jwk' }))
}

function readJwkText(text: string): Result<PrivateJwk, KeyFault> {
  try {
    return readJwk(JSON.parse(text))
  } catch {
    return err('JSON that does not parse')
  }
}

function readJwk(value: unknown): Result<PrivateJwk, KeyFault> {
  const jwk = readPrivateJwk(value)
  return jwk.ok ? ok(jwk.value) : err(`a JWK, but: ${jwk.error.detail ?? 'not an Ed25519 key'}`)
}
