import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { top } from '../top.ts'

let started: Promise<string> | null = null

/** Address of a bare server in its own process, shared by all tests of this process. Answers that must not wait are compared with its answers. */
export function neighbourUrl(): Promise<string> {
  started ??= startNeighbour()
  return started
}

async function startNeighbour(): Promise<string> {
  const child = spawn(process.execPath, [join(top, 'tooling/dist/faults/bare-neighbour.js')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  child.unref()
  for (const stream of [child.stdin, child.stdout]) (stream as { unref?(): void }).unref?.()
  return /http:\S+/.exec(line)?.[0] ?? ''
}
