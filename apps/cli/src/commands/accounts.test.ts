import { instantToIso, plusMs } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { expect, it } from 'vitest'
import { columnsOf } from '../program/text-columns.ts'
import { answering } from '../testing/answering.ts'
import { cli } from '../testing/run-for-test.ts'

interface Changes {
  readonly title?: string
  readonly authName?: string
  readonly reasons?: readonly string[]
  readonly blockedUntil?: string | null
  readonly upstream?: string
  readonly provider?: string
  readonly quotaWindows?: readonly object[]
}

const account = ({
  title = 'a@example.com',
  authName = 'a.json',
  reasons = [],
  ...more
}: Changes) => ({
  selector: { authName, authIndex: '1', accountKey: 'k1' },
  accountKey: 'k1',
  title,
  planKind: 'plus',
  provider: 'codex',
  summary: `${reasons.length === 0 ? 'Active' : 'Held back'} · 5h 12%`,
  routingScore: 50,
  routingEligible: reasons.length === 0,
  routingBlockedReasons: reasons,
  blockedUntil: null,
  quotaWindows: [
    { id: '5h', state: 'known', percent: 12.4, stale: true },
    { id: 'week', state: 'unknown', percent: null, stale: false },
  ],
  ...more,
})

const pool = (...items: readonly object[]) =>
  answering({
    '/api/v1/recommendations': { source: { text: 'Read 12:00' }, summary: '1 routable', items },
  })

const accounts = (argv: readonly string[], fetch = pool(account({})), more = {}) =>
  cli(['accounts', '--url', 'http://127.0.0.1:4515', ...argv], { fetch, ...more })

const hostile = account({
  title: '=cmd|"x"!A1',
  authName: 'a\u001b[2J\n.json',
  reasons: ['cooldown', 'auth_invalid'],
  blockedUntil: instantToIso(plusMs(NOW, 5_400_000)),
})

it('marks stale percents, says what is not known, and when an account is back', async () => {
  const { code, stdout } = await accounts([], pool(account({}), hostile))

  expect(code).toBe(0)
  expect(stdout).toBe(`2 accounts · 1 routable · Read 12:00
ACCOUNT        SCORE    5H  WEEK  STATE      BACK IN   PLAN
a@example.com     50  ~12%     ?  Active               plus
=cmd|"x"!A1       50  ~12%     ?  Held back  1h 30min  plus
`)
})

it.each([
  { what: 'the terminal', more: { stdoutColumns: 60, env: { COLUMNS: '200' } }, columns: 60 },
  { what: 'COLUMNS', more: { env: { COLUMNS: '40' } }, columns: 40 },
  { what: '80 without either', more: { env: { COLUMNS: 'wide' } }, columns: 80 },
])('is as wide as $what', async ({ more, columns }) => {
  const long = account({ title: 'x'.repeat(300), authName: 'y'.repeat(300) })
  const { stdout } = await accounts([], pool(long), more)
  const widths = stdout.split('\n').map((line) => line.length)

  expect(Math.max(...widths)).toBeLessThanOrEqual(columns)
  expect(stdout).toContain('x…x')
})

it('names the proxy where there are several', async () => {
  const fetch = pool(account({ upstream: 'berlin' }))

  expect((await accounts([], fetch)).stdout).toMatch(/STATE {3}PROXY {3}PLAN /)
})

it('says of an account that plan has switched off since when, and when it is back', async () => {
  const off = { slug: 'operator_disabled', until: null, text: 'Disabled' }
  const items = ['a.json', 'b.json'].map((authName) => ({
    ...account({ authName, reasons: [off.slug] }),
    blocked: [off],
  }))
  const proposal = { upstream: 'default', authName: 'a.json', reasons: ['quota_exhausted_week'] }
  const services = {
    'http://127.0.0.1:4515': [{ ...proposal, proposedAt: NOW - 60_000, until: NOW + 7_200_000 }],
  }
  const readTextFile = () => JSON.stringify({ version: 1, services })
  const { stdout } = await accounts([], pool(...items), { readTextFile })

  expect(stdout.split('\n').slice(2, 4)).toEqual([
    expect.stringMatching(/ off since 11:59 {2}2h 00min /),
    expect.stringMatching(/ Held back {18}plus/),
  ])
})

it('prints names, one a line, that move no cursor', async () => {
  expect(await accounts(['--format', 'names'], pool(account({}), hostile))).toEqual({
    code: 0,
    stdout: 'a.json\na\\u{1b}[2J\\u{a}.json\n',
    stderr: '',
  })
})

it('prints cells that no spreadsheet executes and no terminal obeys', async () => {
  const { stdout } = await accounts(['--format=csv'], pool(account({}), hostile))

  expect(stdout).toBe(
    [
      'auth_name,account_key,title,plan,provider,upstream,score,routable,blocked,blocked_until,5h_percent,week_percent',
      'a.json,k1,a@example.com,plus,codex,,50,true,,,12.4,',
      `a\\u{1b}[2J\\u{a}.json,k1,"'=cmd|""x""!A1",plus,codex,,50,false,cooldown auth_invalid,${hostile.blockedUntil},12.4,`,
      '',
    ].join('\r\n'),
  )
})

it('prints the answer as it is', async () => {
  const json = await accounts(['--json'])

  expect(JSON.parse(json.stdout)).toMatchObject({ items: [account({})] })
  expect(json).toEqual(await accounts(['--format', 'json']))
})

it('leaves out what is not blocked by a reason, and says which there are', async () => {
  const fetch = pool(account({}), hostile, account({ authName: 'b.json', reasons: ['cooldown'] }))
  const names = async (reasons: string) =>
    (await accounts(['--format', 'names', '--blocked', reasons], fetch)).stdout.split('\n').length -
    1

  expect([
    await names('cooldown'),
    await names('auth_invalid,other'),
    await names('other'),
  ]).toEqual([2, 1, 0])
  expect(await accounts(['--blocked', 'other'], fetch)).toEqual({
    code: 0,
    stdout: '0 accounts · 1 routable · Read 12:00\n',
    stderr:
      'svc-quota-monitor: no account is blocked by other; now there are: auth_invalid, cooldown\n',
  })
})

const xai = account({
  title: 'x@example.com',
  provider: 'xai',
  quotaWindows: [
    { id: '5h', state: 'unknown', percent: null, reported: false },
    { id: 'week', state: 'absent', percent: null },
    { id: 'month', state: 'known', percent: 42, stale: false },
  ],
})

it('names the provider where there are several, and their further windows', async () => {
  const { stdout } = await accounts(['--provider', 'all'], pool(account({}), xai))

  expect(stdout).toBe(`2 accounts · 1 routable · Read 12:00
ACCOUNT        SCORE  PROVIDER    5H  WEEK  MONTH  STATE   PLAN
a@example.com     50  codex     ~12%     ?      -  Active  plus
x@example.com     50  xai          -     -    42%  Active  plus
`)
})

it('has no column of a window that no account has', async () => {
  const unread = account({ provider: 'xai', quotaWindows: [{ id: '5h', state: 'unknown' }] })
  const pools = [{ provider: 'xai', label: 'xAI', accounts: 2, windows: [{ id: 'month' }] }]
  const ranking = { source: { text: 'Read' }, provider: 'xai', pools, items: [xai, unread] }
  const { stdout } = await accounts([], answering({ '/api/v1/recommendations': ranking }))

  expect(stdout.split('\n')[1]).toMatch(/SCORE {2}MONTH {2}STATE/)
})

it.each([
  ['codex', [], '2 Codex accounts (9 in all)'],
  ['claude', ['--blocked', 'cooldown'], '0 of 7 Claude accounts (9 in all)'],
  ['all', [], '2 of 9 accounts'],
  ['claude,codex', [], '2 of 9 accounts'],
])('counts the accounts of the provider that it lists: %s %j', async (provider, argv, counted) => {
  const pools = [
    { provider: 'codex', label: 'Codex', accounts: 2 },
    { provider: 'claude', label: 'Claude', accounts: 7 },
  ]
  const ranking = { source: { text: 'Read' }, provider, pools, items: [account({}), account({})] }
  const { stdout } = await accounts(argv, answering({ '/api/v1/recommendations': ranking }))

  expect(stdout.split(' · ')[0]).toBe(counted)
})

it('keeps the provider on 80 columns, and the state as far as there is room', async () => {
  const long = account({
    title: 'a-very-long-name-of-an-account@example.com',
    quotaWindows: ['5h', 'week', 'day', 'month'].map((id) => ({
      id,
      state: 'known',
      percent: 100,
    })),
  })
  const items = [long, { ...long, provider: 'antigravity' }]
  const used = items.map((item) => ({ ...item, summary: 'Weekly quota used up · x' }))
  const { stdout } = await accounts([], pool(...used))
  const [, head = '', ...rows] = stdout.trimEnd().split('\n')

  expect(head).toMatch(/ PROVIDER .* 5H {2}WEEK .* STATE$/)
  expect(rows.every((row) => columnsOf(row) <= 80)).toBe(true)
  expect(rows.at(-1)).toMatch(/antigravity .* Weekly quota…$/)
})
