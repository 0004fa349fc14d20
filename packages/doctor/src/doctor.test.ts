import { spawnSync } from 'node:child_process'
import { whyNoPostgres } from '@svc/history/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { type CheckId, checkIds } from './finding.ts'
import { setUpDatabases } from './testing/database-set-ups.ts'
import { setUps } from './testing/set-ups.ts'
import { examineSetUp, KEY, row, SOUND } from './testing/world.ts'

/** Maximum number of login attempts and calls to the proxy that doctor may make in any set-up. */
const REFUSED_MAX = 1
const CALLS_MAX = 4
/** Minimum number of right answers at which doctor is reliable enough. */
const RIGHT_MIN = 120

const hasOpenssl =
  spawnSync('openssl', ['version']).error === undefined || process.env.CI !== undefined
const noPostgres = whyNoPostgres()
afterAll(() => setUpDatabases.remove())
const wrong: string[] = []
let examinedCount = 0

describe('doctor', () => {
  it.for(setUps)('$name: $expected', { concurrent: false }, async (setUp, context) => {
    if (!hasOpenssl && /speaks_tls|certificate_/.test(setUp.expected.join()))
      context.skip('skipped, because openssl is not installed')
    if (noPostgres !== null && setUp.name.includes('PostgreSQL')) context.skip(noPostgres)
    examinedCount += 1
    const { found, output, checks, calls, refused } = await examineSetUp(setUp)
    if (found.join() !== setUp.expected.join()) wrong.push(setUp.name)

    expect(found).toEqual(setUp.expected)
    expect(refused).toBeLessThanOrEqual(REFUSED_MAX)
    expect(calls.length).toBeLessThanOrEqual(CALLS_MAX)
    expect(output).not.toContain(KEY)
    expect(output).not.toContain('doctor-canary-password')
    expect(checks.map(({ id }) => id)).toEqual(checkIds)
    for (const { id, status, code: slug, hint } of checks) {
      expect(slug, id).toMatch(/^[\w.+-]+$/)
      expect(hint !== '', id).toBe(status === 'warn' || status === 'fail')
    }
  })

  it('judges the set-ups rightly; they are enough, and no two have the same name', (context) => {
    if (examinedCount < RIGHT_MIN && process.env.CI === undefined)
      context.skip('skipped, because the set-ups were not examined')
    const right = examinedCount - wrong.length
    console.log(`doctor: ${right} of ${examinedCount} set-ups right`)

    expect(new Set(setUps.map(({ name }) => name)).size).toBe(setUps.length)
    expect(setUps.length).toBeGreaterThanOrEqual(125)
    expect(right, wrong.join('; ')).toBeGreaterThanOrEqual(RIGHT_MIN)
  })

  it('has a set-up for every check that can warn or fail', () => {
    const covered = new Set(
      setUps.flatMap(({ expected }) => expected.map((one) => one.split(' ')[1])),
    )
    // These need a full disk, another file system, another installation or an old server, so they are tested elsewhere; the first only informs.
    const elsewhere: readonly CheckId[] = [
      'upstream.providers',
      'upstream.generation',
      'upstream.plugins',
      'sqlite',
      'state_db.disk',
      'state_db.file_system',
      'state_db.version',
      'localhost',
    ]

    expect(checkIds.filter((id) => !covered.has(id))).toEqual(elsewhere)
  })

  it('calls the proxy once alone, then three times, and takes nothing out of the queue', async () => {
    const { calls, fake } = await examineSetUp(
      row('sound', SOUND, {
        argv: ['--state-db', 'new.db'],
        proxy: ({ usage, now }) =>
          void usage.record({ at: now(), source: 'ana@example.com', authIndex: 'a' }),
      }),
    )

    expect(calls).toEqual(['auth-files', 'usage-queue', 'usage-statistics-enabled', 'config'])
    expect(fake.usage.waitingCount()).toBe(1)
  })

  it.each([
    ['quoted_key', { env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: `"${KEY}"` } }],
    ['path_in_url', { argv: ['--upstream-url', 'http://127.0.0.1:1/v1'] }],
  ])('sends no key where it finds %s before', async (_, setUp) => {
    expect((await examineSetUp(row('', [], setUp))).calls).toEqual([])
  })

  it.each<readonly [CheckId, RegExp, Parameters<typeof row>[2]]>([
    [
      'upstream.management',
      /at most 4 more refusals remain .* 30 minutes/,
      { env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'wrong' } },
    ],
    [
      'upstream.usage',
      /skipped: needs upstream\.management/,
      { env: { SVC_QUOTA_MONITOR_MANAGEMENT_KEY: 'wrong' } },
    ],
    [
      'config.file',
      /^3 mistakes: .*unknown key "colour".*; .*refresh_seconds.*; .*log_format/,
      { toml: 'colour = 1\nrefresh_seconds = 1\nlog_format = 1' },
    ],
    ['config.file', /Kubernetes/, { env: { SVC_QUOTA_MONITOR_SERVICE_HOST: '10.0.0.7' } }],
    [
      'client_labels',
      /line 3: no valid JSON/,
      ({ file }) => ({
        argv: [
          '--client-labels-file',
          file('l.json', '{"clients":[\n{"apiName":"a","label":"A"},\n]}'),
        ],
      }),
    ],
    [
      'auth_dir',
      /1 of 1 auth files are no JSON objects/,
      ({ folder }) => ({
        argv: ['--auth-dir', folder('a', { 'codex-ana@example.com-plus.json': '{' })],
      }),
    ],
    [
      'state_db.reachable',
      /^postgres:\/\/127\.0\.0\.1:1\/history\S*: nothing listens at the address of the database$/,
      { argv: ['--state-db', 'postgres://127.0.0.1:1/history'] },
    ],
    [
      'state_db.reachable',
      /^postgres:\/\/db\.invalid\/history\S*: the host name of the database is not known$/,
      { argv: ['--state-db', 'postgres://db.invalid/history'] },
    ],
    [
      'state_db.reachable',
      /^postgres:\S*: the folder holds no socket of a database$/,
      { argv: ['--state-db', 'postgres:///history?host=/nowhere'] },
    ],
    [
      'upstream.management',
      /redirects to https:\/\/login\.example\/,/,
      {
        front: () =>
          new Response(null, {
            status: 302,
            headers: { location: 'https://u:p@login.example/?token=x' },
          }),
      },
    ],
  ])('reports for %s: %s', async (id, detail, build) => {
    const { checks } = await examineSetUp(row('', [], build))

    expect(checks.find((check) => check.id === id)?.detail).toMatch(detail)
  })

  it.for([
    ['no database of that name', 'state_db.reachable', /\/\w+\?/, '/gone?'],
    ['does not encrypt', 'state_db.tls', 'disable', 'verify-full'],
  ] as const)('names the database and says why: %s', async ([why, id, part, other], context) => {
    if (noPostgres !== null) context.skip(noPostgres)
    const address = (await setUpDatabases.nextAddress()).replace(part, other)
    const { checks } = await examineSetUp(row('', [], { argv: ['--state-db', address] }))
    const found = checks.find((check) => check.id === id)

    expect(found?.detail).toContain(why)
    expect(found?.detail).toContain(new URL(address).host)
    expect(found?.hint).not.toContain('doctor says')
  })

  it('judges each receiver of messages by its name', async () => {
    const { checks } = await examineSetUp(
      row('', [], ({ file }) => {
        file('one', 'http://127.0.0.1:1/x')
        const table = (name: string) =>
          `[[notify]]\nname = "${name}"\nkind = "webhook"\nurl_file = "${name}"\n`
        return { toml: table('one') + table('two') }
      }),
    )

    expect(checks.filter(({ id }) => id === 'notify')).toMatchObject([
      { target: 'one', status: 'ok', title: 'Messages · one' },
      { target: 'two', status: 'fail', title: 'Messages · two' },
    ])
  })
})
