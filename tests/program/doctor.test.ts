import { spawnSync } from 'node:child_process'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, createFakeUpstream } from '@svc/fake-proxy'
import { afterAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { serveFake } from '../../tooling/serve-fake.ts'
import { freePort, runProgram } from '../../tooling/service/built-program.ts'
import { startService } from '../../tooling/service/start-service.ts'
import { testInstant } from '../../tooling/test-instant.ts'

const KEY = 'doctor-program-key'
const isCi = process.env.CI !== undefined
const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Report {
  readonly ok: boolean
  readonly checks: readonly Readonly<Record<'id' | 'status' | 'code' | 'detail' | 'hint', string>>[]
}

async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runProgram(
    ['doctor', '--json', '--config', 'off', ...args],
    { env },
  )
  const report = JSON.parse(stdout) as Report
  return {
    code,
    stderr,
    ...report,
    of: (id: string) => report.checks.find((check) => check.id === id),
  }
}

/** Takes connections and never says a word. */
async function silent(host = '127.0.0.1', port = 0): Promise<Server> {
  const server = createServer(() => undefined).listen(port, host)
  await once(server, 'listening')
  return server
}

// The first waits for its deadlines, so the others run beside it.
describe.concurrent('doctor, the program', () => {
  it('with everything broken at once every check reports, in time, after one attempt with the key', async () => {
    const silentProxy = await silent()
    const { port } = silentProxy.address() as AddressInfo
    let sent = ''
    silentProxy.on('connection', (socket) => {
      socket.on('data', (bytes) => {
        sent += bytes.toString('latin1')
      })
    })
    const store = join(folder, 'broken.db')
    writeFileSync(store, 'no database'.repeat(500))
    const { code, ok, checks, stderr } = await doctor(
      [
        ...[
          '--upstream-url',
          `http://127.0.0.1:${port}`,
          '--host',
          '192.0.2.1',
          '--state-db',
          store,
          '--allowed-host',
          'com',
        ],
        ...[
          '--auth-dir',
          '/nonexistent',
          '--client-labels-file',
          store,
          '--benchmark-summary',
          '/nonexistent',
        ],
        ...['--quota-transport', 'auth-files'],
      ],
      { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY },
    )
    silentProxy.close()

    expect({ code, ok, stderr }).toEqual({ code: 1, ok: false, stderr: '' })
    expect(sent.match(/^authorization: /gim)).toHaveLength(1)
    expect(checks.filter(({ status }) => status === 'fail').map(({ id }) => id)).toEqual([
      'upstream.health',
      'upstream.management',
      'auth_dir',
      'state_db',
      'bind',
      'client_labels',
      'benchmark',
    ])
    const skipped = checks.filter(({ status }) => status === 'skip').map(({ code }) => code)
    expect(
      skipped.filter((slug) => !['not_judged', 'not_used', 'not_running'].includes(slug)),
    ).toEqual([])
  })

  it('files that are half-written, pipes, links out of their folder or a gigabyte are told of by name, and not waited for', async () => {
    const pipe = join(folder, 'pipe')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    const large = join(folder, 'large')
    writeFileSync(large, '')
    truncateSync(large, 2 ** 30)
    const half = join(folder, 'half.json')
    writeFileSync(half, '{"clients":[{"apiName":"canary-content')
    const auths = join(folder, 'auths')
    mkdirSync(auths, { mode: 0o700 })
    symlinkSync(half, join(auths, 'link.json'))
    spawnSync('mkfifo', [join(auths, 'pipe.json')])

    for (const [path, why] of [
      [pipe, 'not a regular file'],
      [large, 'larger than 1 MiB'],
      [folder, 'not a regular file'],
    ] as const) {
      const { stdout, code } = await runProgram(['doctor', '--json', '--config', path])
      expect(code).toBe(1)
      expect((JSON.parse(stdout) as Report).checks[0]?.detail).toBe(
        `config file from --config cannot be read (${why}): ${path}`,
      )
      expect((await runProgram(['--config', path])).stderr).toContain(why)
    }
    for (const path of [pipe, large, half]) {
      const { of, stderr } = await doctor([
        '--client-labels-file',
        path,
        '--benchmark-summary',
        path,
        '--management-key-file',
        path,
        '--auth-dir',
        auths,
      ])
      for (const id of ['client_labels', 'benchmark'])
        expect(of(id)).toMatchObject({ status: 'fail', detail: expect.stringContaining(path) })
      expect(of('auth_dir')).toMatchObject({ status: 'warn', code: 'unreadable_files' })
      if (path !== half)
        expect(of('management_key')).toMatchObject({
          status: 'fail',
          detail: expect.stringContaining(path),
        })
      expect(stderr + JSON.stringify(of('client_labels'))).not.toContain('canary-content')
    }
  })

  it('refused by a real proxy it asks once, and banned it asks once and says until when', async () => {
    const fake = createFakeUpstream({
      now: () => testInstant,
      managementKey: KEY,
      accounts: [aFakeAccount({ name: 'a' })],
    })
    const served = await serveFake(fake, 0)
    const args = ['--upstream-url', served.url, '--port', String(await freePort())]
    const refused = await doctor(args, { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'wrong' })
    expect(refused.of('upstream.management')?.detail).toMatch(/at most 4 more refusals remain/)
    expect(fake.stats.refusedRequests).toBe(1)
    const headers = { Authorization: 'Bearer wrong' }
    for (let attempt = 2; attempt <= 5; attempt += 1)
      await fetch(`${served.url}/v0/management/auth-files`, { headers })
    const { of } = await doctor(args, { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY })
    await served.close()

    expect(of('upstream.management')?.detail).toMatch(/banned this address until 20\d\d-/)
    expect(fake.stats).toMatchObject({
      refusedRequests: 5,
      bannedRequests: 1,
      authenticatedRequests: 0,
    })
  })

  it('knows its own service, and asks it who else reads the queue', async () => {
    const args = ['--upstream-url', 'http://127.0.0.1:1', '--port', String(await freePort())]
    const running = await startService({ where: 'program', args: ['--config', 'off', ...args] })
    await eventually('the proxy is known to be gone', async () => {
      const health = await fetch(`${running.url}/api/v1/health`)
      return ((await health.json()) as { readonly state?: string }).state === 'bad'
    })
    const { of } = await doctor(args)
    const { of: ofAnother } = await doctor([...args, '--upstream-url', 'http://127.0.0.1:2'])
    await running.stop()

    expect(of('bind')).toMatchObject({ status: 'ok', code: 'already_running' })
    expect(of('service')?.detail).toMatch(/^it reports bad: /)
    expect(of('upstream.queue_rival')).toMatchObject({ status: 'ok' })
    expect(ofAnother('bind')).toMatchObject({ status: 'fail', code: 'another_monitor' })
    expect(ofAnother('service')).toMatchObject({ status: 'skip' })
  })

  it('warns of another program that localhost leads to', async (context) => {
    const addresses = (await lookup('localhost', { all: true })).map(({ address }) => address)
    const host = addresses.includes('127.0.0.1') ? '127.0.0.2' : null
    if (host === null && !isCi)
      return context.skip('skipped, because localhost is not 127.0.0.1 here')
    const port = await freePort()
    const squatter = await silent('127.0.0.1', port)
    const { of } = await doctor(['--host', host ?? '127.0.0.2', '--port', String(port)])
    squatter.close()

    expect(of('localhost')).toMatchObject({
      status: 'warn',
      hint: expect.stringContaining(`http://127.0.0.2:${port}/`),
    })
  })

  it('refuses a store on a network file system', async () => {
    // None can be mounted without a server; the system call answers as on NFS.
    const asOnNfs = `import fs from 'node:fs'; import { syncBuiltinESMExports } from 'node:module'
      const real = fs.statfsSync; fs.statfsSync = (path) => ({ ...real(path), type: 0x6969 }); syncBuiltinESMExports()`
    const { of } = await doctor(['--state-db', join(folder, 'a.db')], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(asOnNfs)}`,
    })

    expect(of('state_db.file_system')).toMatchObject({
      status: 'fail',
      hint: expect.stringContaining('a disk of this machine'),
    })
  })
})
