import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freeLocalPort, serverProcess } from './server-process.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-process-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A server that says who it is and waits. */
const waiting = () =>
  serverProcess({
    program: '/bin/sh',
    args: ['-c', 'echo "$$ as $(id -u)"; exec sleep 600'],
    log: join(folder, 'log'),
    isReady: () => starts().length > 0,
  })
const starts = () => readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean)

describe('a process of a server', () => {
  it('is never of root, is started once, and again after it has ended', async () => {
    const server = waiting()
    await server.start()
    await server.start()
    expect([server.isRunning(), starts().length]).toEqual([true, 1])
    expect(starts()[0]).not.toMatch(/ as 0$/)

    await server.end('SIGKILL')
    await server.end('SIGKILL')
    expect(server.isRunning()).toBe(false)
    await server.start()
    expect(server.isRunning()).toBe(true)
    await server.end('SIGTERM')
  })

  it('is signalled as a whole', async () => {
    const server = waiting()
    server.signalAll('SIGKILL')
    await server.start()
    server.signalAll('SIGKILL')
    await server.end('SIGKILL')
    expect(server.isRunning()).toBe(false)
  })
})

it('a free port is another one each time', async () => {
  const ports = [await freeLocalPort(), await freeLocalPort()]
  expect(new Set(ports).size).toBe(2)
  for (const port of ports) expect(port).toBeGreaterThan(1_023)
})
