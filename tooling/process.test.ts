import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Health } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { eventually } from './live-service.ts'
import { freePort, program, runProgram, startProgram } from './started-program.ts'

const demoFlags = async () => ['--demo', '--port', String(await freePort())]

describe('the program', () => {
  it('names the address to open and answers there at once', async () => {
    const demo = await startProgram(await demoFlags())

    expect((await fetch(`${demo.url}/healthz`)).status).toBe(200)
    expect(demo.stdout()).toMatch(/^svc-quota-monitor 0\.1\.0 demo listens: open http:\/\/127\.0\.0\.1:\d+\/\S+\n$/)
    expect(await demo.stop()).toBe(0)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with 0 on %s, and quickly', async (signal) => {
    const demo = await startProgram(await demoFlags())
    const started = performance.now()

    expect(await demo.stop(signal)).toBe(0)
    expect(performance.now() - started).toBeLessThan(3_000)
    expect(demo.stderr()).toContain(`reason=${signal}`)
  })

  it('ends with 1 and one line when its port is taken', async () => {
    const port = await freePort()
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve))

    const { code, stderr, stdout } = await runProgram(['--demo', '--log-level', 'error', '--port', String(port)])
    squatter.close()

    expect(code).toBe(1)
    expect(stderr).toBe(`svc-quota-monitor: 127.0.0.1:${port} is already in use: stop what listens there or choose another --port\n`)
    expect(stdout).toBe('')
  })

  it.each([
    [['--port', '0'], /^svc-quota-monitor: port from --port: expected a whole number from 1 to 65535, not "?0"?\n$/],
    [['--nonsense'], /^svc-quota-monitor: Unknown option --nonsense: --help lists the options\n$/],
    [['frobnicate'], /^svc-quota-monitor: unknown command "frobnicate": --help lists the commands\n$/],
    [
      ['--config', '/nonexistent/config.toml'],
      /^svc-quota-monitor: config file from --config does not exist: \/nonexistent\/config\.toml\n$/,
    ],
  ])('ends with 2 and one line for %j', async (args, line) => {
    const { code, stderr, stdout } = await runProgram(args)

    expect(stderr).toMatch(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  })

  it('names file, line and column of broken TOML, quotes none of it, and says so quickly', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-config-'))
    const file = join(folder, 'config.toml')
    writeFileSync(file, 'port = 4515\nmanagement_key = sk-canary-key\n')
    const started = performance.now()

    const { code, stderr } = await runProgram(['--config', file])
    rmSync(folder, { recursive: true })

    expect(code).toBe(2)
    expect(stderr).toMatch(/^svc-quota-monitor: config file is no valid TOML at line 2, column \d+: \S+\n$/)
    expect(stderr).not.toContain('canary')
    expect(performance.now() - started).toBeLessThan(3_000)
  })

  it('runs with nothing configured and says what is missing', async () => {
    const service = await startProgram([
      '--config',
      'off',
      '--upstream-url',
      `http://127.0.0.1:${await freePort()}`,
      '--port',
      String(await freePort()),
    ])
    let health: Health | null = null
    await eventually('health is bad', 5_000, async () => {
      health = (await (await fetch(`${service.url}/api/v1/health`)).json()) as Health
      return health.state === 'bad'
    })

    expect(JSON.stringify(health)).toContain('management_key_file')
    expect(service.stderr()).toContain('no management key')
    expect((await fetch(`${service.url}/api/v1/recommendations`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
  })

  it('survives that nobody reads its output', async () => {
    const port = await freePort()
    const child = spawn(process.execPath, [program, '--demo', '--log-level', 'debug', '--port', String(port)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.destroy()
    child.stderr.destroy()

    await eventually('it answers', 10_000, () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    // A refused request writes a log line into the closed pipe.
    await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { origin: 'http://evil.example' } })
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)

    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('takes SIGHUP as a wish to read the key again', async () => {
    const demo = await startProgram(await demoFlags())

    demo.child.kill('SIGHUP')

    await eventually('it says so', 5_000, () => demo.stderr().includes('reloading'))
    expect(await demo.stop()).toBe(0)
  })
})
