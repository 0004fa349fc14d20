import { spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { eventually, pause } from '../../tooling/eventually.ts'
import { freePort, program, runProgram } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'

const isLinux = process.platform === 'linux'
const folder = mkdtempSync(join(tmpdir(), 'svc-surroundings-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Inodes of the TCP sockets a process listens on. */
function listenersOf(pid: number | undefined): readonly string[] {
  const listening = new Set(
    ['tcp', 'tcp6'].flatMap((table) =>
      readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .flatMap((fields) => (fields[3] === '0A' ? [`socket:[${fields[9]}]`] : [])),
    ),
  )
  const links = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return links.filter((link) => listening.has(link))
}

describe('SIGUSR1, which would open a debugger to every user of the machine', () => {
  it('opens nothing, and the service goes on', async (context) => {
    if (!isLinux) return context.skip('skipped, because there is no /proc to count listeners in')
    const flags = [
      '--config',
      'off',
      '--upstream-url',
      `http://127.0.0.1:${await freePort()}`,
      '--port',
      String(await freePort()),
    ]
    const service = await startService({
      where: 'program',
      args: [...flags, '--state-db', join(folder, 'history.db')],
    })
    await eventually('the store is open', () => service.stderr().includes('history store open'))

    for (let round = 0; round < 3; round += 1) {
      service.child.kill('SIGUSR1')
      await pause(300)
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    }

    expect(listenersOf(service.child.pid)).toHaveLength(1)
    expect(service.stderr()).not.toContain('Debugger')
    expect(await service.stop()).toBe(0)
  })

  it('opens nothing while a long command runs', async (context) => {
    if (!isLinux) return context.skip('skipped, because there is no /proc to count listeners in')
    const input = join(folder, 'long.log')
    writeFileSync(input, 'somebody@example.com asked for 12 accounts\n'.repeat(500_000))
    const child = spawn(process.execPath, [
      program,
      'redact',
      input,
      '--output',
      join(folder, 'copies'),
      '--config',
      'off',
    ])
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    await eventually('it is at work', () => existsSync(join(folder, 'copies')))

    child.kill('SIGUSR1')
    await pause(300)
    const listeners = child.exitCode === null ? listenersOf(child.pid) : []
    child.kill('SIGKILL')
    await ended

    expect({ listeners, stderr }).toEqual({ listeners: [], stderr: '' })
  })
})

describe('a time zone that does not exist', () => {
  it.each(['', 'Mars/Olympus_Mons', ':/etc/nothing'])(
    'TZ=%j is UTC, and neither start nor doctor fails over it',
    async (TZ) => {
      const demo = await startService({
        where: 'program',
        args: ['--demo', '--port', String(await freePort())],
        env: { TZ },
      })
      const status = (await (await fetch(`${demo.url}/api/v1/status`)).json()) as {
        readonly displayTimezone: string
      }
      await demo.stop()
      const examined = await runProgram(
        [
          'doctor',
          '--json',
          '--config',
          'off',
          '--upstream-url',
          `http://127.0.0.1:${await freePort()}`,
        ],
        {
          env: { TZ },
        },
      )
      const { checks } = JSON.parse(examined.stdout) as {
        readonly checks: readonly { readonly id: string; readonly detail: string }[]
      }

      expect(status.displayTimezone).toBe('UTC')
      expect(checks.find(({ id }) => id === 'time_zone')?.detail).toMatch(/UTC/)
    },
  )
})

describe('output that cannot be written', () => {
  it.for([
    ['--version'],
    ['--help'],
    ['print-config', '--config', 'off'],
    ['print-config', '--config', 'off', '--json'],
    ['init', 'config', '--config', 'off'],
    ['init', '--config', 'off'],
    ['doctor', '--config', 'off', '--upstream-url', 'http://127.0.0.1:9'],
  ])('%j on a full device is one line and exit code 1', async (args, context) => {
    if (!existsSync('/dev/full')) return context.skip('skipped, because there is no /dev/full')
    expect(await run(args, '/dev/full')).toEqual({
      code: 1,
      stderr: 'svc-quota-monitor: the output could not be written (ENOSPC)\n',
    })
  })

  it('is no failure when the reader has gone away', async () => {
    const child = spawn(process.execPath, [program, '--help'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const code = await new Promise((resolve) => child.once('close', resolve))

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('is told in one line where a file system takes no folders', async (context) => {
    if (!isLinux) return context.skip('skipped, because there is no /proc')
    const input = join(folder, 'input.txt')
    writeFileSync(input, 'text\n')
    const written = await runProgram([
      'init',
      '--config',
      'off',
      '--write',
      '/proc/svc-quota-monitor',
    ])
    const redacted = await runProgram([
      'redact',
      input,
      '--config',
      'off',
      '--output',
      '/proc/svc-quota-monitor/copies',
    ])

    expect(written).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc-quota-monitor: /proc/svc-quota-monitor cannot be written (ENOENT)\n',
    })
    expect(redacted).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc-quota-monitor: /proc/svc-quota-monitor/copies cannot be written (ENOENT)\n',
    })
  })
})

/** Runs the program with its output on this file. */
async function run(args: readonly string[], output: string) {
  const file = openSync(output, 'w')
  try {
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', file, 'pipe'] })
    let stderr = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const code = await new Promise<number | null>((resolve) =>
      child.once('close', (exitCode) => resolve(exitCode)),
    )
    return { code, stderr }
  } finally {
    closeSync(file)
  }
}
