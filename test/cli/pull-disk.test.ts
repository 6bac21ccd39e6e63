import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { epochFolder, makeFolder } from '../../src/cli/workspace/folders.ts'
import { desk } from './desk.ts'

/** A desk whose download of the prompts comes in small pieces; says how often it was asked for. */
async function drippingDesk() {
  const { terminal, api, epoch } = await desk({ hasRun: false })
  const bytes = Buffer.from(epoch.text)
  const asked = { times: 0 }
  api.faults.before = (request, response) => {
    if (!request.url?.endsWith('/prompts')) return false
    asked.times += 1
    const drip = async () => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      for (let at = 0; at < bytes.length && !response.destroyed; at += 100) {
        response.write(bytes.subarray(at, at + 100))
        await sleep(2)
      }
      response.end()
    }
    drip().catch(() => {})
    return true
  }
  const folder = makeFolder(epochFolder(terminal.workspace, epoch.view.card.id))
  return { terminal, folder, asked, draft: path.join(folder, 'prompts.jsonl.part') }
}

describe('failmap pull on a disk that refuses', () => {
  test('a full disk ends it in words, and nothing half stays', async () => {
    const { terminal, folder, asked, draft } = await drippingDesk()
    symlinkSync('/dev/full', draft)
    const ending = await terminal.type('pull')
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain('the disk is full')
    expect(ending.err).not.toContain('trying again')
    expect(asked.times).toBe(1)
    expect(readdirSync(folder)).toEqual(['card.json'])
    expect(await terminal.type('pull')).toMatchObject({ exit: 0 })
  })

  test('a full disk is told at once where the download stands still', async () => {
    const { terminal, api, epoch } = await desk({ hasRun: false })
    const folder = makeFolder(epochFolder(terminal.workspace, epoch.view.card.id))
    symlinkSync('/dev/full', path.join(folder, 'prompts.jsonl.part'))
    api.faults.before = (request, response) => {
      if (!request.url?.endsWith('/prompts')) return false
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write('{"instance')
      return true
    }
    const ending = await terminal.type('pull')
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain('the disk is full')
  })

  test('a disk that has no room for the card keeps no half of it', async () => {
    const { terminal, folder, asked } = await drippingDesk()
    symlinkSync('/dev/full', path.join(folder, `card.json.${process.pid}.part`))
    const ending = await terminal.type('pull')
    expect(ending.exit).toBe(5)
    expect(asked.times).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  test('a folder in the place of the file is told as one and left alone', async () => {
    const { terminal, asked, draft } = await drippingDesk()
    mkdirSync(draft)
    const ending = await terminal.type('pull')
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain('a folder lies where a file belongs')
    expect(ending.err).toContain(draft)
    expect(asked.times).toBe(1)
    expect(existsSync(draft)).toBe(true)
  })

  test('a fault of a rare kind is not told as one of the network', async () => {
    const { terminal, asked, draft } = await drippingDesk()
    symlinkSync(draft, draft)
    const ending = await terminal.type('pull')
    expect(ending.exit).toBe(5)
    expect(ending.err).toContain(`cannot read or write ${draft}`)
    expect(ending.err).toContain('ELOOP')
    expect(ending.err).not.toContain('network')
    expect(asked.times).toBe(1)
  })
})
