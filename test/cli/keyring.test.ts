import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readKeyText } from '../../src/cli/key-text.ts'
import { toKeyId } from '../../src/protocol/keys.ts'
import { section } from './client-field-cases.ts'
import { startFakeApi } from './fake-api.ts'
import { onEnd } from './run-fixture.ts'
import { sampleEpoch } from './sample-epoch.ts'
import { Terminal } from './terminal.ts'

const pair = generateKeyPairSync('ed25519')
const PEM = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const JWK = JSON.stringify(pair.privateKey.export({ format: 'jwk' }))
const BASE64 = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')

async function keyIdOf(text: string): Promise<string> {
  const jwk = readKeyText(text)
  return jwk.ok ? toKeyId(jwk.value) : `refused: ${jwk.error}`
}

function terminal(): Terminal {
  const made = new Terminal()
  onEnd(() => made.remove())
  return made
}

describe('readKeyText', () => {
  test.each([
    ['as written', PEM],
    ['CL-167 with backslash-n for line breaks', PEM.replaceAll('\n', '\\n')],
    ['with backslash-r backslash-n', PEM.replaceAll('\n', '\\r\\n')],
    ['CL-167 with CRLF', PEM.replaceAll('\n', '\r\n')],
    ['CL-167 in double quotes', `"${PEM.replaceAll('\n', '\\n')}"`],
    ['CL-167 in single quotes', `'${PEM}'`],
    ['CL-167 without its last line break', PEM.trimEnd()],
    ['CL-168 with all line breaks removed', PEM.replaceAll('\n', '')],
    ['with spaces for line breaks', PEM.replaceAll('\n', ' ')],
    ['CL-137 after a byte-order mark', `\ufeff${PEM}`],
    ['with blank lines around', `\n\n${PEM}\n\n`],
    ['with indented lines', PEM.replaceAll('\n', '\n    ')],
    ['CL-168 as one line of base64', BASE64],
    ['CL-168 as a JWK', JWK],
    ['as a JWK in base64', Buffer.from(JWK).toString('base64')],
  ])('a key %s has the same id', async (_form, text) => {
    expect(await keyIdOf(text)).toBe(await keyIdOf(PEM))
    expect(await keyIdOf(text)).toMatch(/^key_/)
  })

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const x25519 = generateKeyPairSync('x25519')
  const pem = (key: typeof rsa.privateKey) =>
    key.export({ format: 'pem', type: 'pkcs8' }).toString()

  test.each([
    ['CL-165 an RSA key', pem(rsa.privateKey), 'a private key for rsa'],
    [
      'CL-165 an old RSA key',
      rsa.privateKey.export({ format: 'pem', type: 'pkcs1' }).toString(),
      'an RSA private key',
    ],
    [
      'CL-165 a public key',
      pair.publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      'a public key',
    ],
    ['an EC key', pem(ec.privateKey), 'a private key for ec'],
    ['an X25519 key', pem(x25519.privateKey), 'a private key for x25519'],
    [
      'a locked key',
      pair.privateKey
        .export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' })
        .toString(),
      'locked with a passphrase',
    ],
    [
      'an OpenSSH public key',
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me',
      'an OpenSSH public key',
    ],
    [
      'a public JWK',
      JSON.stringify(pair.publicKey.export({ format: 'jwk' })),
      'this is a public key',
    ],
    ['half a PEM', PEM.slice(0, 60), 'cut off or damaged'],
    ['a damaged body', PEM.replace('MC4C', 'MC4D'), 'cut off or damaged'],
    ['nothing', '  \n', 'nothing'],
    ['a password', 'hunter2!', 'no key'],
    [
      'a certificate',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      'a certificate',
    ],
  ])('%s is named as what it is, without showing any of it', (_what, text, named) => {
    const read = readKeyText(text)
    expect(read.ok).toBe(false)
    if (read.ok) return
    expect(read.error).toContain(named)
    for (const line of text.split('\n')) {
      if (/^[A-Za-z0-9+/=]{20,}$/.test(line)) expect(read.error).not.toContain(line.slice(0, 20))
    }
  })

  test('CL-165 an OpenSSH private key is told by its kind', () => {
    const made = terminal()
    const file = path.join(made.folder, 'id')
    const body = Buffer.from('openssh-key-v1\0....ssh-ed25519....').toString('base64')
    writeFileSync(
      file,
      `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`,
    )
    const read = readKeyText(readFileSync(file, 'utf8'))
    expect(read).toEqual({ ok: false, error: 'an OpenSSH private key (ssh-ed25519)' })
  })
})

describe('failmap keygen', () => {
  test('CL-172 the key is 0600 in a folder 0700 whatever the umask, and complete at once', async () => {
    const { home, type } = withType(terminal())
    const before = process.umask(0o022)
    onEnd(() => process.umask(before))
    expect((await type('keygen')).exit).toBe(0)
    expect(statSync(path.join(home, 'key.pem')).mode & 0o777).toBe(0o600)
    expect(statSync(home).mode & 0o777).toBe(0o700)
  })

  test('an existing key is never replaced', async () => {
    const { home, type } = withType(terminal())
    await type('keygen')
    const key = readFileSync(path.join(home, 'key.pem'), 'utf8')
    const ending = await type('keygen')
    expect(ending.exit).toBe(6)
    expect(ending.err).toContain('--output')
    expect(readFileSync(path.join(home, 'key.pem'), 'utf8')).toBe(key)
  })

  test('no private part is printed, unless the one-line form is asked for', async () => {
    const { home, type } = withType(terminal())
    const ending = await type('keygen', '--json')
    const body = readFileSync(path.join(home, 'key.pem'), 'utf8').split('\n')[1] ?? ''
    expect(ending.out + ending.err).not.toContain(body)
    const other = await type('keygen', '--output', path.join(home, 'ci.pem'), '--single-line')
    const line = /FAILMAP_KEY=(\S+)/.exec(other.out)?.[1] ?? ''
    expect(await keyIdOf(line)).toBe(await keyIdOf(readFileSync(path.join(home, 'ci.pem'), 'utf8')))
  })
})

describe('the signing key of a command', () => {
  test.each(['0644', '0640', '0604'])(
    'CL-172 a key with mode %s is refused with the chmod command, exit 6',
    async (mode) => {
      const { home, type } = withType(terminal())
      await type('keygen')
      const file = path.join(home, 'key.pem')
      chmodSync(file, Number.parseInt(mode, 8))
      const ending = await type('status', '--all')
      expect(ending.exit).toBe(6)
      expect(ending.err).toContain(`chmod 600 ${file}`)
      expect(ending.err).toContain(mode)
    },
  )

  test('CL-165 a wrong key is refused with found, wanted and the command to make one, exit 6', async () => {
    const { folder, type } = withType(terminal())
    const file = path.join(folder, 'rsa.pem')
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    writeFileSync(file, rsa.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 })
    const ending = await type('status', '--all', '--key', file)
    expect(ending.exit).toBe(6)
    expect(ending.err).toMatch(/found a private key for rsa; wanted: an Ed25519 private key/)
    expect(ending.err).toContain('failmap keygen')
  })

  test('CL-167 CL-168 the key may be in the environment, or in .env', async () => {
    const epoch = await sampleEpoch({ categories: 1 })
    const api = await startFakeApi(epoch)
    onEnd(() => api.close())
    const made = terminal()
    made.env = { FAILMAP_API_URL: api.origin, FAILMAP_KEY: PEM.replaceAll('\n', '\\n') }
    expect((await made.type('register')).exit).toBe(0)
    made.env = { FAILMAP_API_URL: api.origin }
    for (const value of [BASE64, `"${PEM.replaceAll('\n', '\\n')}"`, `"${PEM}"`, `'${JWK}'`]) {
      writeFileSync(path.join(made.folder, '.env'), `# signing\nexport FAILMAP_KEY=${value}\n`)
      expect((await made.type('status', '--all')).exit).toBe(0)
    }
  })

  test('no key at all is said with the command that makes one, exit 6', async () => {
    const ending = await terminal().type('submit')
    expect(ending.exit).toBe(6)
    expect(ending.err).toContain('failmap keygen')
  })
})

describe('failmap register', () => {
  test('a second key joins the organisation of the first', async () => {
    const epoch = await sampleEpoch({ categories: 1 })
    const api = await startFakeApi(epoch)
    onEnd(() => api.close())
    const made = terminal()
    made.env = { FAILMAP_API_URL: api.origin }
    await made.type('keygen')
    const first = JSON.parse((await made.type('register', '--name', 'Lab', '--json')).out)
    const file = path.join(made.folder, 'second.pem')
    await made.type('keygen', '--output', file)
    const second = JSON.parse((await made.type('register', '--add', file, '--json')).out)
    expect(second.organisation).toBe(first.organisation)
    expect(second.key).not.toBe(first.key)
    expect((await made.type('status', '--all', '--key', file)).exit).toBe(0)
  })

  test.each(['', 'org_x', 'two\nlines'])('the name %j is refused as usage', async (name) => {
    const made = terminal()
    await made.type('keygen')
    expect((await made.type('register', '--name', name)).exit).toBe(2)
  })
})

describe('settings files', () => {
  test('CL-137 a config file with a byte-order mark is read', async () => {
    const made = terminal()
    mkdirSync(made.home, { recursive: true })
    writeFileSync(path.join(made.home, 'config.json'), '\ufeff{"api_url": "http://127.0.0.1:9"}')
    const ending = await made.type('pull')
    expect(ending.exit).toBe(4)
    expect(ending.err).toContain('127.0.0.1:9')
  })

  test('CL-137 any other fault of a config file is fatal with line and column, exit 2', async () => {
    const made = terminal()
    mkdirSync(made.home, { recursive: true })
    const file = path.join(made.home, 'config.json')
    writeFileSync(file, '{\n  "api_url": "http://127.0.0.1:9",\n  oops\n}\n')
    const ending = await made.type('pull')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain(file)
    expect(ending.err).toMatch(/line 3,? column 3/)
  })

  test('CL-137 an unknown setting is fatal and the known ones are listed', async () => {
    const made = terminal()
    mkdirSync(made.home, { recursive: true })
    writeFileSync(path.join(made.home, 'config.json'), '{"api": "http://127.0.0.1:9"}')
    const ending = await made.type('pull')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('api_url')
  })

  test('CL-136 a UTF-16 file is named as such with a way out, exit 2', async () => {
    const made = terminal()
    mkdirSync(made.home, { recursive: true })
    const bytes = Buffer.concat([
      Buffer.from(section('CL-136', 'payload').includes('FF FE') ? [0xff, 0xfe] : []),
      Buffer.from('{}', 'utf16le'),
    ])
    writeFileSync(path.join(made.home, 'config.json'), bytes)
    const ending = await made.type('pull')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('UTF-16')
    expect(ending.err).toContain('Out-File')
  })

  test('flags beat the environment, the environment beats .env, .env beats the config file', async () => {
    const made = terminal()
    const asked = async (...flags: string[]) =>
      /127\.0\.0\.1:(\d)/.exec((await made.type('pull', ...flags)).err)?.[1]
    mkdirSync(made.home, { recursive: true })
    writeFileSync(path.join(made.home, 'config.json'), '{"api_url": "http://127.0.0.1:1"}')
    expect(await asked()).toBe('1')
    writeFileSync(path.join(made.folder, '.env'), 'FAILMAP_API_URL=http://127.0.0.1:2\n')
    expect(await asked()).toBe('2')
    made.env = { FAILMAP_API_URL: 'http://127.0.0.1:3' }
    expect(await asked()).toBe('3')
    expect(await asked('--api_url', 'http://127.0.0.1:4')).toBe('4')
    made.env = { FAILMAP_API_URL: '' }
    expect(await asked()).toBe('2')
  })
})

function withType(made: Terminal) {
  return { home: made.home, folder: made.folder, type: made.type.bind(made) }
}
