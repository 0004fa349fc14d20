import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aFakeAccount, createFakeUpstream, type FakeUpstream, fetchOf } from '@svc/collector/testing'
import type { Clock } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CliContext } from '../cli-context.ts'
import { systemClock } from '../clock.ts'
import { cli } from '../testing/run-for-test.ts'
import { type CheckId, checkIds, type Finding } from './finding.ts'

const KEY = 'doctor-canary-key-0815'
const folder = mkdtempSync(join(tmpdir(), 'svc-doctor-'))
const at = (name: string) => join(folder, name)
const foreign = createServer((socket) => socket.end('SSH-2.0-x\r\n'))

beforeAll(() => new Promise<void>((resolve) => void foreign.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  foreign.close()
  rmSync(folder, { recursive: true, force: true })
})

const clock: Clock = {
  ...systemClock,
  now: () => NOW,
}

function aProxy(): FakeUpstream {
  return createFakeUpstream({ now: clock.now, managementKey: KEY, accounts: [aFakeAccount({ name: 'ana' })] })
}

interface SetUp {
  readonly argv?: readonly string[]
  readonly env?: CliContext['env']
  readonly context?: Partial<CliContext>
  /** Done to the proxy before. */
  readonly proxy?: (fake: FakeUpstream) => void
}

/** A set-up that is right but for what is given. */
async function examined({ argv = [], env = {}, context = {}, proxy = () => undefined }: SetUp) {
  const fake = aProxy()
  proxy(fake)
  const refusedBefore = fake.stats.refusedRequests
  const outcome = await cli(['doctor', '--json', '--config', 'off', '--port', String(freePort()), ...argv], {
    clock,
    fetch: fetchOf(fake),
    cwd: folder,
    env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: KEY, ...env },
    ...context,
  })
  const report = JSON.parse(outcome.stdout) as { readonly ok: boolean; readonly checks: readonly Finding[] }
  const of = (id: CheckId) => report.checks.find((finding) => finding.id === id)
  return { ...outcome, ...report, of, fake, refused: fake.stats.refusedRequests - refusedBefore }
}

let nextPort = 42_000
function freePort(): number {
  nextPort += 1
  return nextPort
}

const write = (name: string, text: string, mode = 0o600) => {
  writeFileSync(at(name), text, { mode })
  chmodSync(at(name), mode)
  return at(name)
}
const made = (name: string, mode: number, files: Readonly<Record<string, number>>) => {
  mkdirSync(at(name), { recursive: true })
  for (const [file, fileMode] of Object.entries(files)) write(`${name}/${file}`, '{}', fileMode)
  chmodSync(at(name), mode)
  return at(name)
}

type Case = readonly [what: string, id: CheckId, status: Finding['status'], detail: RegExp, setUp: () => SetUp]

const cases: readonly Case[] = [
  ['a port that is none', 'config.file', 'fail', /port from --port/, () => ({ argv: ['--port', '80000'] })],
  ['a config file that is not there', 'config.file', 'fail', /does not exist/, () => ({ argv: ['--config', 'gone.toml'] })],
  ['TOML that is none', 'config.file', 'fail', /no valid TOML at line 1/, () => inToml('port = = 1')],
  ['an unknown key', 'config.file', 'fail', /unknown key "prot"/, () => inToml('prot = 1')],
  ['a key in the file', 'config.file', 'fail', /may not stand in the config file/, () => inToml(`management_key = "${KEY}"`)],
  ['no time zone', 'time_zone', 'warn', /does not tell its time zone/, () => ({ context: { hostTimeZone: null } })],
  ['no key', 'management_key', 'fail', /no management key is set/, () => ({ env: NO_KEY })],
  ['a key file that is not there', 'management_key', 'fail', /no such file/, () => keyFile(at('no-key'))],
  ['an empty key file', 'management_key', 'fail', /is empty/, () => keyFile(write('empty-key', '\n'))],
  ['a key file of many', 'management_key', 'fail', /others can write/, () => keyFile(write('open-key', KEY, 0o666))],
  ['a key file that others read', 'management_key', 'warn', /can be read by other users/, () => keyFile(write('seen-key', KEY, 0o644))],
  ['a folder as the key file', 'management_key', 'fail', /no regular file/, () => keyFile(made('key-folder', 0o700, {}))],
  ['a key file of 2 MiB', 'management_key', 'fail', /larger than 1 MiB/, () => keyFile(write('large-key', 'x'.repeat(2 ** 21)))],
  ['a key of two lines', 'management_key', 'fail', /what is no key/, () => keyFile(write('two-keys', 'a\nb'))],
  [
    'a gateway that is down',
    'upstream.health',
    'fail',
    /answered 503/,
    () => ({ proxy: (fake) => fake.setFault('healthz', { kind: 'status', status: 503 }) }),
  ],
  [
    'a proxy that drops everything',
    'upstream.management',
    'fail',
    /no connection/,
    () => ({ proxy: (fake) => fake.setFault('auth-files', { kind: 'drop' }) }),
  ],
  ['http to another machine', 'upstream.transport', 'warn', /plain http/, () => ({ argv: ['--upstream-url', 'http://192.0.2.1:8317'] })],
  [
    'a wrong key',
    'upstream.management',
    'fail',
    /at most 4 more refusals remain .* 30 minutes/,
    () => ({ env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'wrong' } }),
  ],
  ['a ban', 'upstream.management', 'fail', /banned this address until \d{4}-/, () => ({ proxy: ban })],
  [
    'management from here refused',
    'upstream.management',
    'fail',
    /does not allow management from here/,
    () => ({
      proxy: ({ settings }) => {
        settings.management = 'remote_refused'
      },
    }),
  ],
  [
    'management off',
    'upstream.management',
    'fail',
    /no management API/,
    () => ({
      proxy: ({ settings }) => {
        settings.management = 'disabled'
      },
    }),
  ],
  [
    'a list that is no JSON',
    'upstream.management',
    'fail',
    /not valid JSON|not JSON/,
    () => ({ proxy: (fake) => fake.setFault('auth-files', { kind: 'garbage' }) }),
  ],
  ['no account', 'upstream.management', 'warn', /0 Codex accounts/, () => ({ proxy: (fake) => fake.accounts.splice(0) })],
  [
    'a proxy without a version',
    'upstream.version',
    'warn',
    /does not tell its version/,
    () => ({
      proxy: ({ settings }) => {
        settings.version = ''
      },
    }),
  ],
  [
    'a clock that is ahead',
    'upstream.clock',
    'warn',
    /6\d\d s ahead/,
    () => ({
      proxy: ({ settings }) => {
        settings.clockAheadMs = 600_000
      },
    }),
  ],
  [
    'usage_source that is not offered',
    'upstream.usage',
    'fail',
    /usage_source is legacy/,
    () => ({ argv: ['--usage-source', 'legacy', '--state-db', 'a.db'] }),
  ],
  [
    'a version without usage',
    'upstream.usage',
    'warn',
    /6\.10\.3 hands out no usage/,
    () => ({
      proxy: ({ settings }) => {
        settings.version = 'v6.10.3'
        settings.usage = 'none'
      },
    }),
  ],
  [
    'a queue that cannot be asked',
    'upstream.usage',
    'fail',
    /answered 500/,
    () => ({ proxy: (fake) => fake.setFault('usage-queue', { kind: 'status', status: 500 }) }),
  ],
  [
    'statistics that are off',
    'upstream.usage_statistics',
    'warn',
    /keeps no usage records/,
    () => ({
      argv: ['--state-db', 'a.db'],
      proxy: ({ settings }) => {
        settings.usageStatisticsEnabled = false
      },
    }),
  ],
  [
    'a queue that forgets',
    'upstream.queue_retention',
    'warn',
    /kept 10 s/,
    () => ({
      argv: ['--state-db', 'a.db'],
      proxy: ({ settings }) => {
        settings.queueRetentionSeconds = 10
      },
    }),
  ],
  ['no auth folder', 'auth_dir', 'fail', /cannot be read \(ENOENT\)/, () => ({ argv: ['--auth-dir', 'no-auths'] })],
  ['a file as the auth folder', 'auth_dir', 'fail', /is no folder/, () => ({ argv: ['--auth-dir', write('auth-file', '')] })],
  ['an empty auth folder', 'auth_dir', 'warn', /holds no \.json/, () => ({ argv: ['--auth-dir', made('auths-0', 0o700, {})] })],
  [
    'an auth folder of all',
    'auth_dir',
    'fail',
    /others can write/,
    () => ({ argv: ['--auth-dir', made('auths-1', 0o777, { 'a.json': 0o600 })] }),
  ],
  [
    'auth files that others read',
    'auth_dir',
    'warn',
    /can read tokens/,
    () => ({ argv: ['--auth-dir', made('auths-2', 0o755, { 'a.json': 0o644 })] }),
  ],
  [
    'an auth file that leads nowhere',
    'auth_dir',
    'fail',
    /1 of 1 auth files cannot be read/,
    () => ({ argv: ['--auth-dir', brokenLink()] }),
  ],
  ['a store in no folder', 'state_db', 'fail', /cannot be opened/, () => ({ argv: ['--state-db', 'no-folder/a.db'] })],
  [
    'a store that is no database',
    'state_db',
    'fail',
    /not an SQLite database/,
    () => ({ argv: ['--state-db', write('text.db', 'x'.repeat(5000))] }),
  ],
  ['a folder as the store', 'state_db', 'fail', /is no file/, () => ({ argv: ['--state-db', made('store-folder', 0o700, {})] })],
  [
    'a port that is taken',
    'bind',
    'fail',
    /in use by another program/,
    () => ({ argv: ['--port', String((foreign.address() as AddressInfo).port)], context: { fetch: globalThis.fetch }, env: NO_KEY }),
  ],
  ['an address of another machine', 'bind', 'fail', /no address of this machine/, () => ({ argv: ['--host', '192.0.2.1'] })],
  ['an open listener', 'listen_risk', 'warn', /every network of this machine/, () => ({ argv: ['--host', '0.0.0.0'] })],
  [
    'an open listener with an open refresh',
    'listen_risk',
    'warn',
    /can start a refresh/,
    () => ({ argv: ['--host', '0.0.0.0', '--manual-quota-refresh-auth', 'none'] }),
  ],
  [
    'a public suffix',
    'allowed_hosts',
    'warn',
    /co\.uk, github\.io: a public suffix/,
    () => ({ argv: ['--allowed-host', 'co.uk,github.io,quota.example.co.uk,monitor'] }),
  ],
  [
    'labels that are no JSON',
    'client_labels',
    'fail',
    /not as it must be/,
    () => ({ argv: ['--client-labels-file', write('labels.json', `{"clients":[{"apiName":"${KEY}"`)] }),
  ],
  ['labels that are not there', 'client_labels', 'fail', /cannot be read/, () => ({ argv: ['--client-labels-file', 'gone.json'] })],
  [
    'a benchmark summary of 2 MiB',
    'benchmark',
    'fail',
    /too large/,
    () => ({ argv: ['--benchmark-summary', write('summary.json', ' '.repeat(2 ** 21))] }),
  ],
]

const NO_KEY = { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: '' }
const keyFile = (path: string): SetUp => ({ argv: ['--management-key-file', path], env: NO_KEY })
const inToml = (text: string): SetUp => ({ argv: ['--config', 'given.toml'], context: { readTextFile: () => text } })

function ban(fake: FakeUpstream): void {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    void fake.app.request('/v0/management/auth-files', { headers: { authorization: 'Bearer no' } })
  }
}

function brokenLink(): string {
  const path = made('auths-3', 0o700, {})
  symlinkSync(at('nowhere'), join(path, 'a.json'))
  return path
}

describe('doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const { code, stderr, checks, fake } = await examined({
      argv: ['--state-db', 'new.db', '--auth-dir', made('auths', 0o700, { 'a.json': 0o600 })],
      proxy: ({ usage }) => usage.record({ at: clock.now(), source: 'ana@example.com', authIndex: 'a' }),
    })

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(checks.filter(({ status }) => status === 'fail' || status === 'warn')).toEqual([])
    expect(checks.map(({ id }) => id)).toEqual(checkIds)
    // One call alone, then three; what was in the queue still is.
    expect(fake.requests.filter(({ route }) => route !== 'healthz').map(({ route }) => route)).toEqual([
      'auth-files',
      'usage-queue',
      'usage-statistics-enabled',
      'config',
    ])
    expect(fake.usage.waitingCount()).toBe(1)
  })

  it.each(cases)('%s: %s is %s', async (_, id, status, detail, setUp) => {
    const { of, code, ok, stdout, stderr, refused } = await examined(setUp())

    expect(of(id)).toMatchObject({ status, detail: expect.stringMatching(detail), hint: expect.stringMatching(/\S/) })
    expect(refused).toBeLessThanOrEqual(1)
    if (status === 'fail') expect({ code, ok }).toEqual({ code: 1, ok: false })
    expect(stdout + stderr).not.toContain(KEY)
  })

  it('has a broken set-up for every check that can fail on its own', () => {
    const covered = new Set(cases.map(([, id]) => id))
    // The others need another process, a full disk or another machine; the program is tried with them.
    const elsewhere: readonly CheckId[] = ['upstream.queue_rival', 'sqlite', 'state_db.disk', 'state_db.file_system', 'localhost']

    expect(checkIds.filter((id) => !covered.has(id))).toEqual(elsewhere)
  })

  it('skips what depends on a check that failed, and says on which', async () => {
    const { of } = await examined({ env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'wrong' } })

    expect(of('upstream.usage')).toMatchObject({ status: 'skip', detail: 'skipped, because upstream.management did not succeed' })
  })

  it('is read by a person as one line a check, coloured on a terminal unless told not to', async () => {
    const shown = async (context: Partial<CliContext>) =>
      (await cli(['doctor', '--config', 'off', '--port', '4299'], { clock, fetch: fetchOf(aProxy()), cwd: folder, ...context })).stdout
    const plain = await shown({})
    const lines = plain.trimEnd().split('\n')

    expect(lines.filter((line) => /^(?:ok|warn|fail|skip)\s/.test(line))).toHaveLength(checkIds.length)
    expect(lines.at(-1)).toMatch(/^1 failed, 0 to look at, \d+ ok, \d+ skipped$/)
    expect(plain).not.toContain('\u001b')
    expect(await shown({ stdoutIsTerminal: true })).toContain('\u001b[31mfail\u001b[0m')
    expect(await shown({ stdoutIsTerminal: true, env: { NO_COLOR: '1' } })).toBe(plain)
  })

  it('a flag that does not exist is a mistake of usage', async () => {
    expect((await cli(['doctor', '--nope'])).code).toBe(2)
  })
})
