import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Health } from '@svc/views'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { freePort, ownFlags, runProgram } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'

const demoFlags = async () => ['--demo', '--port', String(await freePort())]

describe('the program', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'names the address to open, answers there at once and ends with 0 on %s',
    async (signal) => {
      const demo = await startService({ where: 'program', args: await demoFlags() })

      expect((await fetch(`${demo.url}/healthz`)).status).toBe(200)
      expect(demo.stdout()).toMatch(
        /^svc-quota-monitor \d+\.\d+\.\d+(?:\+[\da-f]{9}(?:-dirty)?)? demo listening on http:\/\/127\.0\.0\.1:\d+\/\n$/,
      )
      expect(await demo.stop(signal)).toBe(0)
      expect(demo.stderr()).toContain(`reason=${signal}`)
    },
  )

  it('writes nothing but JSON where its log is JSON, also if its port is taken', async () => {
    const flags = [...(await demoFlags()), '--log-format', 'json']
    const demo = await startService({ where: 'program', args: flags })
    const { code, stdout, stderr } = await runProgram(flags)
    await demo.stop()
    const lines = [demo.stdout(), demo.stderr(), stdout, stderr].flatMap((text) =>
      text.split('\n').filter((line) => line !== ''),
    )
    const events = lines.map((line) => JSON.parse(line) as { readonly event: string })

    expect(JSON.parse(demo.stdout())).toMatchObject({ event: 'listening', url: `${demo.url}/` })
    expect(events.at(-1)).toMatchObject({ level: 'error', event: 'not started' })
    expect(code).toBe(1)
  })

  it('runs with nothing configured and says what is missing', async () => {
    const service = await startService({
      where: 'program',
      args: await ownFlags(),
    })
    let health: Health | null = null
    await eventually('health is bad', async () => {
      health = (await (await fetch(`${service.url}/api/v1/health`)).json()) as Health
      return health.state === 'bad'
    })

    expect(JSON.stringify(health)).toContain('management_key_file')
    for (const step of [
      'no management key',
      'svc-quota-monitor init config',
      'svc-quota-monitor doctor',
    ])
      expect(service.stderr()).toContain(step)
    expect((await fetch(`${service.url}/api/v1/recommendations`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
  })

  it('says so and ends as ever where a pipe stands in the place of the lock of its store', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-process-'))
    execFileSync('mkfifo', [join(folder, 'history.db.lock')])

    const service = await startService({
      where: 'program',
      args: await ownFlags('--state-db', join(folder, 'history.db')),
    })
    try {
      await eventually('it is told', () =>
        service.stderr().includes('history store not usable reason=cannot_open'),
      )
      expect(await service.stop()).toBe(0)
    } finally {
      service.child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
