import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listRuns } from '../../src/cli/workspace/runs.ts'
import { cut, desk } from './desk.ts'

describe('failmap watch', () => {
  test('what a submission ended with is said once', async () => {
    const { terminal } = await desk()
    for (const argv of [['submit', '--wait'], ['watch']]) {
      const { out, err } = await terminal.type(...argv)
      expect(`${err}${out}`.match(/sub_[0-9a-f]{40} {2}scored/g)).toHaveLength(1)
    }
  })

  test('Ctrl-C ends it with 130 and the command that goes on', async () => {
    const { terminal, api } = await desk()
    await terminal.type('submit')
    for (const submission of api.submissions.values()) submission.state = 'judging'
    const watching = terminal.type('watch')
    while (!terminal.talk.includes('judging')) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    terminal.interrupt.abort()
    const { exit, out, err } = await watching
    expect(exit).toBe(130)
    expect(`${out}${err}`).toMatch(/next: failmap watch|the same command goes on/)
  })
})

describe('failmap cancel', () => {
  test('withdraws what has not arrived; the run stays and can be submitted anew', async () => {
    const { terminal, api } = await desk()
    api.faults.before = (request, response) => request.method === 'PUT' && cut(request, response)
    expect((await terminal.type('submit')).exit).toBe(4)
    delete api.faults.before
    const ending = await terminal.type('cancel', '--json')
    expect(ending.exit).toBe(0)
    expect(JSON.parse(ending.out)).toMatchObject({ state: 'cancelled' })
    expect((await terminal.type('submit', '--wait')).exit).toBe(0)
    expect([...api.submissions.values()].map(({ state }) => state)).toEqual(['cancelled', 'scored'])
  })

  test('what is being judged cannot be withdrawn, under the name of sb-cli too', async () => {
    const { terminal } = await desk()
    await terminal.type('submit')
    const ending = await terminal.type('delete-run')
    expect(ending.exit).toBe(1)
    expect(ending.err).toContain('submission-state')
    expect((await terminal.type('status')).exit).toBe(0)
  })
})

describe('failmap pull', () => {
  test('takes the epoch as argument or as option, and refuses two of them', async () => {
    const { terminal } = await desk()
    expect((await terminal.type('pull', 'open-2026-11')).exit).toBe(0)
    expect((await terminal.type('pull', '--epoch', 'open-2026-11')).exit).toBe(0)
    const both = await terminal.type('pull', 'open-2026-11', '--epoch', 'open-2026-12')
    expect(both.exit).toBe(2)
    expect(both.err).toContain('which epoch')
  })
})

describe('failmap report', () => {
  test('the same report is kept once; one that differs never replaces it', async () => {
    const { terminal } = await desk()
    await terminal.type('submit', '--wait')
    await terminal.type('report')
    const run = listRuns(terminal.workspace)[0]?.id ?? ''
    const folder = path.join(terminal.workspace, 'reports')
    const kept = ['.json', '.jwks.json', '.jws']
    expect(readdirSync(folder).sort()).toEqual(kept.map((extension) => `${run}${extension}`))
    writeFileSync(path.join(folder, `${run}.json`), 'mine')
    expect((await terminal.type('report')).out).toContain(`${run}-1.jws`)
    expect(readFileSync(path.join(folder, `${run}.json`), 'utf8')).toBe('mine')
    const all = kept.flatMap((extension) => [`${run}-1${extension}`, `${run}${extension}`])
    expect(readdirSync(folder).sort()).toEqual(all.sort())
    expect((await terminal.type('verify')).exit).toBe(0)
  })

  test('before anything was submitted it says what to do', async () => {
    const { terminal } = await desk()
    const ending = await terminal.type('get-report')
    expect(ending.exit).toBe(2)
    expect(ending.err).toContain('next: failmap submit')
  })
})

describe('failmap verify', () => {
  const signed = async () => {
    const { terminal } = await desk()
    await terminal.type('submit', '--wait')
    const folder = path.join(terminal.workspace, 'reports')
    const run = listRuns(terminal.workspace)[0]?.id ?? ''
    return {
      terminal,
      jws: path.join(folder, `${run}.jws`),
      jwks: path.join(folder, `${run}.jwks.json`),
    }
  }

  test('checks a report without network and says what was checked', async () => {
    const { terminal, jws, jwks } = await signed()
    terminal.env = { FAILMAP_API_URL: 'http://127.0.0.1:9' }
    const ending = await terminal.type('verify', jws, '--jwks', jwks)
    expect(ending.exit).toBe(0)
    expect(ending.out).toMatch(/^verified\n/)
    expect(ending.out).toContain('commitment')
  })

  test('one flipped character is refused with 1', async () => {
    const { terminal, jws, jwks } = await signed()
    const text = readFileSync(jws, 'utf8')
    for (const at of [10, Math.floor(text.length / 2), text.length - 10]) {
      const flipped = text[at] === 'A' ? 'B' : 'A'
      writeFileSync(jws, text.slice(0, at) + flipped + text.slice(at + 1))
      expect((await terminal.type('verify', jws, '--jwks', jwks)).exit).toBe(1)
    }
  })

  test('keys of somebody else do not verify it', async () => {
    const { terminal, jws } = await signed()
    const other = await signed()
    const ending = await terminal.type('verify', jws, '--jwks', other.jwks)
    expect(ending.exit).toBe(1)
    expect(ending.err).toContain('No listed key')
  })

  test.each([
    [{ policy: 1, overall: { fixed_at_least: 0.4 } }, 0],
    [{ policy: 1, overall: { fixed_at_least: 0.7 } }, 1],
    [{ policy: 1, compare: 'interval', overall: { fixed_at_least: 0.4 } }, 1],
    [{ policy: 1, overall: { gap_at_most: 0 } }, 0],
    [{ policy: 1, domains: { 'sequence-boundaries': { regressed_at_most: 0.1 } } }, 0],
    [{ policy: 1, domains: { 'numbers-money': { fixed_at_least: 0 } } }, 1],
    [{ policy: 1, epoch: 'another-epoch' }, 1],
    [{ policy: 1, surprise: true }, 2],
    [{}, 2],
  ])('the policy %j ends with %i', async (policy, exit) => {
    const { terminal, jws, jwks } = await signed()
    const file = path.join(terminal.folder, 'policy.json')
    writeFileSync(file, JSON.stringify(policy))
    const ending = await terminal.type('verify', jws, '--jwks', jwks, '--policy', file, '--json')
    expect(ending.exit).toBe(exit)
  })
})
