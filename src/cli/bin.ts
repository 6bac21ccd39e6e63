#!/usr/bin/env node
import './node-version.ts'
import { randomBytes } from 'node:crypto'
import os from 'node:os'
import { EXIT } from './exit.ts'
import { createInterrupts } from './interrupts.ts'
import { sleep } from './io.ts'
import { main } from './main.ts'
import { toSink } from './sink.ts'
import { ownProcess } from './small-heap.ts'

/** What still holds the process open after the end, such as a stuck socket, gets this long. */
const LINGER_MS = 2000

/** A full disk behind `> file`: what was printed is not whole, and scripts must not take it. */
let isOutputLost = false
function onOutputFault(error: Error): void {
  isOutputLost = true
  process.exitCode = EXIT.partial
  process.stderr.write(`failmap: cannot write to stdout\n  why:  ${error.message}\n`)
}

ownProcess()
main(process.argv.slice(2), {
  stdout: toSink(process.stdout, onOutputFault),
  stderr: toSink(process.stderr),
  stdin: process.stdin,
  env: process.env,
  cwd: process.cwd(),
  home: os.homedir(),
  platform: process.platform,
  now: Date.now,
  randomBytes: (count) => randomBytes(count),
  sleep,
  interrupted: createInterrupts(process),
}).then((exit) => {
  process.exitCode = isOutputLost && exit === EXIT.done ? EXIT.partial : exit
  setTimeout(() => process.exit(), LINGER_MS).unref()
})
