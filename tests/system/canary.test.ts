import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS, epochMs, instantToIso, plusMs } from '@svc/core'
import { aFakeAccount, createFakeUpstream } from '@svc/fake-proxy'
import type { Recommendations, StatusSnapshot } from '@svc/views'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { readPaths } from '../../tooling/read-text.ts'
import { serveFake } from '../../tooling/serve-fake.ts'
import { freePort, program } from '../../tooling/service/built-program.ts'
import { runNode } from '../../tooling/service/node-process.ts'
import { type ServiceProcess, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock } from '../../tooling/test-instant.ts'

/** Unique markers in every place a secret can come from. None of them may show up anywhere. */
const CANARIES = {
  managementKey: 'canary-management-key-1f6d',
  accessToken: 'canary-access-token-2c8e',
  fileToken: 'canary-file-token-3b7a',
  refreshToken: 'canary-refresh-token-4d9b',
  statusMessage: 'canary-status-message-5e0c',
  vendorBody: 'canary-vendor-body-6f1d',
  proxyBody: 'canary-proxy-body-7a2e',
  authPath: 'canary-auth-path-8b3f',
  apiKeyAccount: 'canary-api-key-account-9c4a',
  note: 'canary-note-0d5b',
  apiName: 'canary-api-name-1e6c',
  bankedCredit: 'reset-credit-0',
} as const

const READS = [
  ...readPaths,
  '/',
  '/nope',
  '/api/v1/stats/series?range=1h&group=client',
  '/api/v1/stats/series?group=client&format=csv',
  '/api/v1/usage/rows?range=all&format=jsonl',
]
/** The one answer that shows API names, and says so. */
const API_NAMES = '/api/v1/stats/series?range=1h&group=api'
const ARTIFACTS = [
  'config',
  'systemd',
  'systemd-user',
  'launchd',
  'dockerfile',
  'compose',
  'nginx',
  'caddy',
  'prometheus',
  'rules',
  'grafana',
  'client-labels',
]
const COMMANDS = [
  ...[
    ['print-config'],
    ['print-config', '--json'],
    ['--help'],
    ['--version'],
    ['doctor'],
    ['doctor', '--json'],
    ['init'],
  ],
  ...ARTIFACTS.map((artifact) => ['init', artifact]),
  ...[
    ['doctor', '--port', 'nonsense'],
    ['init', 'nonsense'],
    ['export-history'],
    ['import-history', '/nonexistent', '--state-db', '/nonexistent/x'],
  ],
]

/** Commands that ask the service. */
const SERVICE_COMMANDS = [
  ['top', '--once'],
  ['plan', '--sh', '--priorities'],
  ['plan', '--json', '--priorities'],
]

function occurrences(text: string): readonly string[] {
  const forms = (canary: string) => [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64').slice(0, -4),
    Buffer.from(canary).toString('hex'),
  ]
  return Object.entries(CANARIES).flatMap(([name, canary]) =>
    forms(canary).some((form) => text.includes(form)) ? [name] : [],
  )
}

describe('no secret shows up in any output', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-canary-'))
  const outputs = new Map<string, string>()
  let service: ServiceProcess
  let close: () => Promise<void>
  let exported = ''

  beforeAll(async () => {
    const { now } = acceleratedClock()
    const accounts = [
      aFakeAccount({
        name: 'good',
        token: CANARIES.accessToken,
        note: CANARIES.note,
        bankedResets: { expiresAt: [plusMs(now(), 3 * DAY_MS)], list: 'answered' },
      }),
      aFakeAccount({
        name: 'talkative',
        status: 'error',
        statusMessage: `{"error":{"message":"${CANARIES.statusMessage}","code":"odd"}}`,
      }),
      aFakeAccount({
        name: 'prose',
        statusMessage: `Post "https://chatgpt.com": ${CANARIES.statusMessage}`,
      }),
      aFakeAccount({
        name: 'broken',
        vendor: { kind: 'answer', status: 500, body: CANARIES.vendorBody },
      }),
      aFakeAccount({
        name: 'refused',
        vendor: {
          kind: 'answer',
          status: 401,
          body: `{"error":{"message":"${CANARIES.vendorBody}"}}`,
        },
      }),
      aFakeAccount({
        name: 'garbled',
        vendor: { kind: 'answer', status: 200, body: `{"plan_type": ${CANARIES.vendorBody}` },
      }),
      aFakeAccount({
        name: 'keyed',
        entryOverrides: {
          account: CANARIES.apiKeyAccount,
          account_type: 'api_key',
          access_token: CANARIES.accessToken,
        },
      }),
    ]
    const fake = createFakeUpstream({
      now,
      managementKey: CANARIES.managementKey,
      accounts,
      authDir: `/srv/${CANARIES.authPath}`,
    })
    const served = await serveFake(fake, 0)
    close = served.close
    const keyFile = join(folder, 'key')
    fake.usage.record({
      at: now(),
      source: 'good@example.com',
      authIndex: fake.authIndexOf(accounts[0] ?? aFakeAccount({ name: 'x' })),
      apiKey: CANARIES.apiName,
    })
    writeFileSync(keyFile, CANARIES.managementKey, { mode: 0o600 })
    writeFileSync(
      join(folder, accounts[0]?.fileName ?? ''),
      JSON.stringify({ access_token: CANARIES.fileToken, refresh_token: CANARIES.refreshToken }),
    )

    const flags = [
      '--config',
      'off',
      '--upstream-url',
      served.url,
      '--management-key-file',
      keyFile,
      '--auth-dir',
      folder,
    ]
    const store = join(folder, 'history.db')
    service = await startService({
      where: 'program',
      args: [
        ...flags,
        '--state-db',
        store,
        '--refresh-seconds',
        '5',
        '--log-level',
        'debug',
        '--port',
        String(await freePort()),
      ],
    })
    const read = async (path: string) => (await fetch(service.url + path)).text()
    await eventually('every account was queried', async () => {
      const { tabs } = JSON.parse(await read('/api/v1/status')) as StatusSnapshot
      return (
        tabs.pool.accounts.length === accounts.length &&
        fake.vendorCalls.length >= accounts.length + 1
      )
    })
    fake.setFault('auth-files', { kind: 'status', status: 500, body: CANARIES.proxyBody })
    await eventually('a failed account list', async () =>
      (await read('/api/v1/health')).includes('"partial"'),
    )
    fake.setFault('auth-files', {
      kind: 'body',
      body: `<html>${CANARIES.proxyBody}</html>`,
      contentType: 'text/html',
    })
    const lists = fake.stats.requestsByRoute['auth-files']
    await eventually(
      'the page was read as a list',
      () => fake.stats.requestsByRoute['auth-files'] >= lists + 2,
    )

    await eventually('usage is stored', async () =>
      (await read(API_NAMES)).includes(CANARIES.apiName),
    )
    const listed = JSON.parse(await read('/api/v1/recommendations')) as Recommendations
    const courses = listed.items.map(({ accountKey }) => `/api/v1/accounts/${accountKey}/quota`)
    await eventually('a reading is stored', async () =>
      (await Promise.all(courses.map(read))).some((course) => course.includes('"usedPercent"')),
    )
    for (const path of READS) outputs.set(path, await read(path))
    const { items } = JSON.parse(await read('/api/v1/recommendations')) as Recommendations
    for (const { accountKey } of items) {
      for (const path of [`/api/v1/accounts/${accountKey}`, `/api/v1/accounts/${accountKey}/quota`])
        outputs.set(path, await read(path))
    }
    const own = new Map([
      ['series.json', await read(API_NAMES)],
      ['series.csv', await read(`${API_NAMES}&format=csv`)],
      ['status.json', await read('/api/v1/status')],
      ['ranking.json', await read('/api/v1/recommendations')],
      ['metrics.txt', await read('/metrics')],
      ['service.log', service.stderr()],
    ])
    for (const [name, headers] of Object.entries({
      'no token': {},
      'a wrong token': { authorization: 'Bearer nonsense' },
    })) {
      outputs.set(
        `refresh with ${name}`,
        await (
          await fetch(`${service.url}/api/v1/quota/refresh`, { method: 'POST', headers })
        ).text(),
      )
    }
    outputs.set(
      'foreign host',
      await (
        await fetch(`${service.url}/healthz`, {
          headers: { origin: `http://${CANARIES.authPath}.example` },
        })
      ).text(),
    )
    // Where it grew old meanwhile, nothing would be planned.
    fake.setFault('auth-files', null)
    const listsBefore = fake.stats.requestsByRoute['auth-files']
    await eventually(
      'the list is read again',
      () => fake.stats.requestsByRoute['auth-files'] >= listsBefore + 2,
    )
    for (const args of SERVICE_COMMANDS) {
      const asking = [program, ...args, '--url', service.url]
      const { stdout, stderr } = await runNode(asking, { env: { HOME: folder } })
      outputs.set(args.join(' '), stdout + stderr)
    }
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      SVC_QUOTA_MONITOR_MANAGEMENT_KEY: CANARIES.managementKey,
      SVC_QUOTA_MONITOR_AUTH_DIR: folder,
      SVC_QUOTA_MONITOR_UPSTREAM_URL: served.url,
      SVC_QUOTA_MONITOR_STATE_DB: store,
    }
    const run = (args: readonly string[]) => {
      const { stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        encoding: 'utf8',
        env,
      })
      return stdout + stderr
    }
    for (const args of COMMANDS) outputs.set(args.join(' '), run(args))
    outputs.set('why', run(['why', 'good@example.com', '--url', service.url]))
    const month = instantToIso(epochMs(now())).slice(0, 7)
    outputs.set(
      'export-usage',
      run(['export-usage', '--month', month, `--start-instant=${instantToIso(epochMs(now()))}`]),
    )
    exported = join(folder, 'backup.json')
    outputs.set('export', run(['export-history', '--state-db', store, '--output', exported]))
    // A bundle of everything there is, as it would be handed over.
    mkdirSync(join(folder, 'bundle'))
    writeFileSync(join(folder, 'bundle', 'key.txt'), readFileSync(keyFile))
    for (const name of readdirSync(folder).filter((entry) => /\.json$|\.db$/.test(entry)))
      writeFileSync(join(folder, 'bundle', name), readFileSync(join(folder, name)))
    // Our own outputs as well: those that name accounts and clients, and the log.
    for (const [name, text] of own) writeFileSync(join(folder, 'bundle', name), text)
    writeFileSync(
      join(folder, 'labels.json'),
      JSON.stringify({ clients: [{ apiName: CANARIES.apiName, label: 'x' }] }),
    )
    outputs.set(
      'redact',
      run([
        'redact',
        join(folder, 'bundle'),
        '--output',
        join(folder, 'copies'),
        '--client-labels-file',
        join(folder, 'labels.json'),
        '--json',
      ]),
    )
    for (const name of readdirSync(join(folder, 'copies', 'bundle')))
      outputs.set(`copy of ${name}`, readFileSync(join(folder, 'copies', 'bundle', name), 'latin1'))
    await service.stop()
    outputs.set('stdout', service.stdout())
    // The guard logs what it refused, which is the point of that line.
    outputs.set('stderr', service.stderr().replaceAll(`http://${CANARIES.authPath}.example`, ''))
  })

  afterAll(async () => {
    await close()
    rmSync(folder, { recursive: true })
  })

  it('collects every kind of output', () => {
    expect(outputs.size).toBeGreaterThan(READS.length + COMMANDS.length + 8)
    expect(JSON.parse(outputs.get('redact') ?? '')).toMatchObject({ ok: true })
    expect(outputs.get('doctor')).toContain('upstream.address')
    expect(outputs.get('why')).toContain('Score')
    expect(outputs.get('/api/v1/resets.ics')).toContain('UID:reset-')
    expect(outputs.get('/api/v1/resets.ics')).toContain('UID:banked-')
    expect(outputs.get('top --once')).toContain('good@example.com')
    expect(outputs.get('plan --sh --priorities')).toContain('change "$')
    expect(outputs.get('stderr')).toContain('source=partial')
    expect(outputs.get('/api/v1/recommendations')).toContain('good@example.com')
    for (const name of ['/api/v1/usage/rows', 'export-usage'])
      expect(outputs.get(name), name).toMatch(/,client-[0-9a-f]{8},/)
    const courses = [...outputs].filter(([name]) => name.startsWith('/api/v1/accounts/'))
    expect(courses.join()).toContain('"usedPercent"')
  })

  it('finds no marker in any of them', () => {
    const found = [...outputs].flatMap(([name, text]) =>
      occurrences(text).map((canary) => `${canary} in ${name}`),
    )

    expect(found).toEqual([])
  })

  it('finds API names where they are meant to be, and no secret beside them', () => {
    expect(occurrences(readFileSync(exported, 'utf8'))).toEqual(['apiName'])
  })

  it('finds neither client keys nor titles of accounts in redacted copies of our own outputs', () => {
    const copies = [...outputs].filter(([name]) => name.startsWith('copy of '))

    expect(copies.map(([name]) => name).sort()).toEqual(
      expect.arrayContaining([
        'copy of backup.json',
        'copy of history.db',
        'copy of series.csv',
        'copy of series.json',
      ]),
    )
    for (const [name, text] of copies)
      expect(/@example\.com/.exec(text)?.input ?? '', name).toBe('')
  })

  it('finds a marker that is there, in any of its forms', () => {
    const { managementKey } = CANARIES

    for (const text of [
      managementKey,
      Buffer.from(managementKey).toString('base64'),
      Buffer.from(managementKey).toString('hex'),
    ]) {
      expect(occurrences(`before ${text} after`)).toEqual(['managementKey'])
    }
  })
})
