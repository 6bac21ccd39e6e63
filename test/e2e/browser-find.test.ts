import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findBrowser } from './browser.ts'

const none = () => Promise.resolve(undefined)

async function program(name: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'failmap-find-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, name)
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, 0o755)
  return file
}

describe('findBrowser', () => {
  test('takes the one that FAILMAP_CHROMIUM names before any other', async () => {
    const chosen = await program('my-browser')
    const onPath = path.dirname(await program('chromium'))
    const found = await findBrowser({ FAILMAP_CHROMIUM: chosen, PATH: onPath }, none)
    expect(found.executablePath).toBe(chosen)
  })

  test('refuses a FAILMAP_CHROMIUM that cannot be started', async () => {
    const env = { FAILMAP_CHROMIUM: '/nowhere/chromium', PATH: '' }
    await expect(findBrowser(env, none)).rejects.toThrow('/nowhere/chromium')
  })

  test('takes one on PATH', async () => {
    const file = await program('google-chrome')
    const found = await findBrowser({ PATH: path.dirname(file) }, none)
    expect(found).toEqual({ executablePath: file, env: {}, from: 'PATH' })
  })

  test('takes the carried one where there is no other', async () => {
    const carried = { executablePath: '/carried', env: { A: 'b' }, from: 'package' }
    expect(await findBrowser({ PATH: '' }, () => Promise.resolve(carried))).toEqual(carried)
  })

  test('fails with what to install where there is none', async () => {
    await expect(findBrowser({ PATH: '' }, none)).rejects.toThrow('apt-get install chromium')
  })
})
