import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { takeLock } from '../../src/cli/workspace/lock.ts'
import { onEnd } from './run-fixture.ts'

const MODULE = path.resolve(import.meta.dirname, '../../src/cli/workspace/lock.ts')

function folder(): string {
  const made = mkdtempSync(path.join(os.tmpdir(), 'failmap-lock-'))
  onEnd(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** A process that takes the lock, says whether it has it, and stays. */
function holder(where: string): ChildProcess {
  const code = `
    import { takeLock } from ${JSON.stringify(MODULE)}
    const lock = takeLock(${JSON.stringify(where)}, String(process.pid), Date.now)
    console.log(lock.ok ? 'held' : 'refused')
    setInterval(() => {}, 1000)`
  const child = spawn('node', ['--input-type=module', '--experimental-strip-types', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PATH: `${path.resolve('node_modules/.bin')}:${process.env.PATH}` },
  })
  onEnd(() => child.kill('SIGKILL'))
  return child
}

async function firstWord(child: ChildProcess): Promise<string> {
  const [chunk] = child.stdout === null ? [''] : await once(child.stdout, 'data')
  return String(chunk).trim()
}

describe('takeLock', () => {
  test('a second taker is refused and told who has it', async () => {
    const where = folder()
    const child = holder(where)
    expect(await firstWord(child)).toBe('held')
    const second = takeLock(where, 'second', Date.now)
    expect(second).toMatchObject({ ok: false, error: { pid: child.pid } })
  })

  test('after kill -9 of the holder the lock can be taken', async () => {
    const where = folder()
    const child = holder(where)
    await firstWord(child)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(takeLock(where, 'second', Date.now).ok).toBe(true)
  })

  test('of ten that try at the same moment after a crash exactly one gets it', async () => {
    const where = folder()
    const dead = holder(where)
    await firstWord(dead)
    dead.kill('SIGKILL')
    await once(dead, 'exit')
    const words = await Promise.all(Array.from({ length: 10 }, () => firstWord(holder(where))))
    expect(words.filter((word) => word === 'held')).toHaveLength(1)
  })

  test('a later process with the same pid is not taken for the holder', () => {
    const where = folder()
    const first = takeLock(where, 'first', Date.now)
    expect(first.ok).toBe(true)
    const [name = ''] = readdirSync(where)
    writeFileSync(
      path.join(where, name),
      JSON.stringify({
        pid: process.pid,
        started: '1',
        place: placeIn(where, name),
        nonce: 'x',
        released: false,
      }),
    )
    expect(takeLock(where, 'second', Date.now).ok).toBe(true)
  })

  test('a holder on another machine counts until it has been silent for a while', () => {
    const where = folder()
    const elsewhere = { pid: 1, started: null, place: 'elsewhere', nonce: 'x', released: false }
    writeFileSync(path.join(where, 'lock-3'), JSON.stringify(elsewhere))
    expect(takeLock(where, 'second', Date.now)).toMatchObject({
      ok: false,
      error: { place: 'elsewhere' },
    })
    expect(takeLock(where, 'second', () => Date.now() + 60_000).ok).toBe(true)
  })

  test('a released lock is free at once', () => {
    const where = folder()
    const first = takeLock(where, 'first', Date.now)
    if (first.ok) first.value.release()
    expect(takeLock(where, 'second', Date.now).ok).toBe(true)
    expect(readdirSync(where)).toEqual(['lock-2'])
  })
})

function placeIn(where: string, name: string): string {
  return JSON.parse(readFileSync(path.join(where, name), 'utf8')).place
}
