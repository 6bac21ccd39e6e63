import fs, { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRegistrations, saveRegistration } from '../../src/cli/keyring.ts'
import { AppendLog } from '../../src/cli/workspace/append-log.ts'
import { runsFolder } from '../../src/cli/workspace/folders.ts'
import { requireRun } from '../../src/cli/workspace/runs.ts'
import { writeWhole } from '../../src/cli/workspace/write-whole.ts'
import { desk } from './desk.ts'
import { chat } from './fake-model-server.ts'
import { onEnd, runFixture } from './run-fixture.ts'
import { FIXED } from './sample-epoch.ts'

const RIGHT = `\`\`\`python\n${FIXED}\`\`\``

/** What the disk refuses; a test turns it on and off. */
const disk = { isFull: false, hasRoomForSmall: false, cutsNothing: false }
const enospc = () => Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })

/** Until the end of the test a full disk takes half of what is written, and then no more. */
function failingDisk(): typeof disk {
  const { writeSync, writeFileSync, ftruncateSync } = fs
  let isHalfWritten = false
  Object.assign(fs, {
    writeSync: (file: number, bytes: Buffer, from: number, length: number, at: number | null) => {
      if (!disk.isFull) return writeSync(file, bytes, from, length, at)
      isHalfWritten = !isHalfWritten
      if (!isHalfWritten) throw enospc()
      return writeSync(file, bytes, from, Math.ceil(length / 2), at)
    },
    writeFileSync: (file: string, content: string | Buffer, options?: { flag?: string }) => {
      if (!disk.isFull || disk.hasRoomForSmall) return writeFileSync(file, content, options)
      writeFileSync(file, content.slice(0, content.length / 2), options)
      throw enospc()
    },
    ftruncateSync: (file: number, length: number) => {
      if (disk.cutsNothing) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
      ftruncateSync(file, length)
    },
  })
  syncBuiltinESMExports()
  onEnd(() => {
    Object.assign(disk, { isFull: false, hasRoomForSmall: false, cutsNothing: false })
    Object.assign(fs, { writeSync, writeFileSync, ftruncateSync })
    syncBuiltinESMExports()
  })
  return disk
}

function newFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'failmap-full-'))
  onEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('AppendLog on a disk that is full and cuts nothing', () => {
  const long = (at: number) => ({ at, text: 'x'.repeat(400) })

  /** A log of one line, behind which three refused ones remain. */
  async function brokenLog(): Promise<AppendLog> {
    const log = new AppendLog(path.join(newFolder(), 'log.jsonl'))
    log.append({ at: 0 })
    Object.assign(failingDisk(), { isFull: true, cutsNothing: true })
    const refused = [1, 2, 3].map((at) => log.appendTogether(long(at)))
    const ends = await Promise.allSettled(refused)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    return log
  }

  const textOf = (log: AppendLog) => readFileSync(log.file, 'utf8')

  test('takes no line until what remains of refused ones is cut off', async () => {
    const log = await brokenLog()
    expect(textOf(log).length).toBeGreaterThan(400)
    disk.isFull = false
    expect(() => log.append({ at: 4 })).toThrow('EIO')
    disk.cutsNothing = false
    const position = log.append({ at: 5 })
    expect(textOf(log)).toBe('{"at":0}\n{"at":5}\n')
    expect(log.read(position)).toEqual({ at: 5 })
    await log.close()
  })

  test('leaves only whole lines that it took when it is closed', async () => {
    const log = await brokenLog()
    disk.cutsNothing = false
    await log.close()
    expect(textOf(log)).toBe('{"at":0}\n')
  })

  test('a torn tail is set aside whole or stays where it is', async () => {
    const folder = newFolder()
    const file = path.join(folder, 'log.jsonl')
    fs.writeFileSync(file, '{"at":0}\n{"at":')
    const log = new AppendLog(file)
    failingDisk().isFull = true
    expect(() => log.scan(() => {})).toThrow('ENOSPC')
    expect(readdirSync(folder)).toEqual(['log.jsonl'])
    expect(textOf(log)).toBe('{"at":0}\n{"at":')
    await log.close()
  })
})

describe('on a full disk nothing half-made is left', () => {
  test('a file that is written whole stays what it was, without a draft', () => {
    const folder = newFolder()
    const file = path.join(folder, 'state.json')
    writeWhole(file, 'before')
    failingDisk().isFull = true
    expect(() => writeWhole(file, 'after')).toThrow('ENOSPC')
    expect(readdirSync(folder)).toEqual(['state.json'])
    expect(readFileSync(file, 'utf8')).toBe('before')
  })

  test('a run that cannot begin leaves no folder, and begins when there is room', async () => {
    const fixture = await runFixture(() => chat(RIGHT), { categories: 1 })
    failingDisk().isFull = true
    const ending = await fixture.run()
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain('ENOSPC')
    expect(ending.err).not.toContain('broke inside')
    expect(readdirSync(runsFolder(fixture.terminal.workspace))).toEqual([])
    disk.isFull = false
    expect(await fixture.run()).toMatchObject({ exit: 0 })
  })

  test('patches that cannot be written leave no draft, and are sent when there is room', async () => {
    const { terminal, api } = await desk()
    const { folder } = requireRun(terminal.workspace, undefined)
    Object.assign(failingDisk(), { isFull: true, hasRoomForSmall: true })
    const ending = await terminal.type('submit')
    expect(ending.exit).toBe(5)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(existsSync(path.join(folder, 'patches.jsonl'))).toBe(false)
    expect(api.submissions.size).toBe(0)
    disk.isFull = false
    expect(await terminal.type('submit')).toMatchObject({ exit: 0 })
  })

  test('organisations that are known stay known', async () => {
    const { home } = (await desk()).terminal
    const [known] = readRegistrations(home)
    if (known === undefined) throw new Error('the desk is not registered')
    const names = readdirSync(home)
    failingDisk().isFull = true
    expect(saveRegistration(home, { ...known, api: 'https://two.example' })).toBe(false)
    expect(readRegistrations(home)).toEqual([known])
    expect(readdirSync(home)).toEqual(names)
  })
})
