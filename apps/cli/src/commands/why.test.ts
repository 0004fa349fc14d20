import { instantToIso } from '@svc/core'
import { NOW } from '@svc/core/testing'
import { describe, expect, it } from 'vitest'
import { cli } from '../testing/run-for-test.ts'

const UNREAD = { resetAt: instantToIso(NOW), sampledAt: null, stale: false }
const item = (accountKey: string, title: string, authName: string, of = {}) => ({
  selector: { accountKey, authName, authIndex: `${accountKey.slice(-4)}ffff` },
  accountKey,
  title,
  provider: 'codex',
  ...of,
  badge: 'Plus',
  tone: 'bad' as const,
  summary: 'Auth invalid',
  routingScore: 0,
  blocked: [{ slug: 'auth_invalid', until: null, text: 'Auth invalid' }],
  quotaWindows: [
    { id: '5h', label: '5h', state: 'known', percent: 100, rolledOver: true, ...UNREAD },
    {
      id: 'week',
      label: 'Weekly',
      state: 'known',
      percent: 100,
      resetAt: instantToIso(NOW),
      stale: false,
    },
  ],
})
const MEMORY = JSON.stringify({
  version: 1,
  services: {
    'http://monitor.example': [
      {
        upstream: 'default',
        authName: 'cyd.json',
        proposedAt: NOW - 3_600_000,
        reasons: ['quota_exhausted_week'],
        until: NOW + 3_600_000,
      },
    ],
  },
})
const ann = item('aaaa000000000001', 'Ann', 'shared.json')
const bob = item('aaaa000000000002', 'Bob\u001b[2J', 'shared.json')
const cyd = item('cccc000000000004', 'Cyd · Plus · 0004', 'codex-12ab34cd-cyd@d.example-plus.json')
const eve = item('dddd000000000005', 'cyd@d.example', 'claude-cyd@d.example.json', {
  provider: 'claude',
})
const RECORDED = 'bbbb000000000003'

/** A service with two accounts whose files are called alike, and one that is only recorded. */
const service: typeof fetch = async (input) => {
  const path = new URL(String(input)).pathname
  const known = [ann, bob, cyd, eve]
  if (path === '/api/v1/recommendations') return Response.json({ items: known })
  const accountKey = path.replace('/api/v1/accounts/', '')
  const items = known.filter((each) => each.accountKey === accountKey)
  if (items.length === 0 && accountKey !== RECORDED)
    return Response.json({ ok: false, status: 'unknown_account', error: '' }, { status: 404 })
  return Response.json({
    accountKey,
    items,
    recentChanges: [],
    usage: { available: false, reason: 'no_store', since: null, lastDay: null, lastWeek: null },
    quota: { range: { end: instantToIso(NOW) } },
  })
}
const why = (name: string, changes: Parameters<typeof cli>[1] = {}) =>
  cli(['why', name, '--url', 'http://monitor.example'], { fetch: service, ...changes })

describe('why --pool', () => {
  const part = (title: string, text: string, state: string, of = {}) => ({
    accountKey: title,
    title,
    badge: 'Plus',
    state,
    stale: false,
    units: Number(text),
    text,
    ...of,
  })
  const figures = {
    unit: 'plus',
    knownUnits: 1.7,
    trackedUnits: 3,
    unknownUnits: 1,
    staleUnits: 0.7,
    percent: null,
  }
  const window = (id: string, label: string, of = {}) => ({
    provider: 'codex',
    id,
    label,
    ...figures,
    tone: 'good',
    text: '1.7 of 3 Plus usable',
    parts: [
      part('Ann', '1.0', 'usable'),
      part('Bob\u001b[2J', '0.7', 'usable', { stale: true }),
      part('Cyd', '1.0', 'unknown'),
    ],
    ...of,
  })
  const pool: typeof globalThis.fetch = async (input) =>
    String(input).includes('/capacity')
      ? Response.json({
          provider: 'codex',
          sampledAt: null,
          windows: [
            window('5h', '5h'),
            window('week', 'Weekly', { sharedBy: ['month', 'week'] }),
            window('month', 'Monthly', { sharedBy: ['month', 'week'] }),
            ...['week', 'month'].map((id) =>
              window(id, id, { provider: 'xai', sharedBy: ['week', 'month'], parts: [] }),
            ),
          ],
        })
      : service(input)
  const ask = (...words: readonly string[]) =>
    cli(['why', ...words, '--url', 'http://monitor.example'], { fetch: pool })

  it('says that a provider has no window', async () => {
    const none: typeof fetch = async (input) =>
      String(input).includes('/capacity')
        ? Response.json({ provider: 'kiro', sampledAt: null, windows: [] })
        : service(input)

    expect(
      await cli(['why', '--pool', '--url', 'http://monitor.example'], { fetch: none }),
    ).toEqual({
      ...{ code: 0, stderr: '' },
      stdout: 'no window of kiro is read, so there is no sum\n',
    })
  })

  it('prints each sum with its parts, and windows of one quantity once, by all their names', async () => {
    const { stdout } = await ask('--pool')

    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'codex 5h: 1.7 of 3 Plus usable',
      '  1.0  usable         Ann           Plus',
      '  0.7  usable, stale  Bob\\u{1b}[2J  Plus',
      '  1.0  unknown        Cyd           Plus',
      '',
      'codex Weekly/Monthly: 1.7 of 3 Plus usable',
      '  1.0  usable         Ann           Plus',
      '  0.7  usable, stale  Bob\\u{1b}[2J  Plus',
      '  1.0  unknown        Cyd           Plus',
      '',
      'xai: 1.7 of 3 Plus usable',
      '',
    ])
  })
})

describe('why', () => {
  it('has the windows of models and features, and amounts without a percent', async () => {
    const scopedWindows = [
      { ...ann.quotaWindows[1], id: 'opus:week', label: 'Opus · Weekly', percent: 12 },
    ]
    const spend = {
      ...UNREAD,
      id: 'spend',
      label: 'Spending limit',
      state: 'exhausted',
      percent: null,
    }
    const of = { ...ann, quotaWindows: [...ann.quotaWindows, spend], scopedWindows }
    const fetch: typeof globalThis.fetch = async (input) => {
      const answer = (await (await service(input)).json()) as { items: unknown }
      return Response.json({ ...answer, items: [of] })
    }
    const { stdout } = await why('ann', { fetch })

    expect(stdout).toMatch(/Opus · Weekly +12% left/)
    expect(stdout).toMatch(/Spending limit +reached/)
  })

  it.each([
    ['its key', 'aaaa000000000001', 'Ann'],
    ['its title', 'ANN', 'Ann'],
    ['the beginning of its title', 'an', 'Ann'],
    ['the beginning of its key', 'cccc', 'Cyd · Plus · 0004'],
    ['the four characters of its index that a title shows', '0004', 'Cyd · Plus · 0004'],
    ['its index', '0001ffff', 'Ann'],
    ['a title without plan and index', 'cyd', 'Cyd · Plus · 0004'],
    ['the beginning of its file', 'claude-', 'cyd@d.example'],
    ['the title of one that the file of another contains', 'cyd@d.example', 'cyd@d.example'],
    ['the e-mail address in its file', 'cyd@d.example-p', 'Cyd · Plus · 0004'],
  ])('knows an account by %s', async (_way, name, title) => {
    const { code, stdout } = await why(name)

    expect({ code, title: stdout.split('\n')[0] }).toEqual({ code: 0, title })
  })

  it.each(['shared.json', 'aaaa', 'SHARED'])(
    'lists the accounts that %s may mean with provider and key, as a mistake of the user',
    async (name) => {
      expect(await why(name)).toEqual({
        code: 2,
        stdout: '',
        stderr: `svc-quota-monitor: ${name} means several accounts; name one by its key:
  aaaa000000000001  codex  Ann
  aaaa000000000002  codex  Bob\\u{1b}[2J
`,
      })
    },
  )

  it.each(['', 'd.example', 'aaa1', 'yd'])('knows no account by %j', async (name) => {
    expect(await why(name)).toMatchObject({ code: 1, stdout: '' })
  })

  it('lists no more than twenty', async () => {
    const items = Array.from({ length: 25 }, (_, at) => item(`${at}`, `user${at}`, `${at}.json`))
    const { stderr } = await why('user', { fetch: async () => Response.json({ items }) })

    expect(stderr.trimEnd().split('\n')).toHaveLength(22)
    expect(stderr).toMatch(/\n {2}and 5 more\n$/)
  })

  it('says that an account is only recorded, and why its usage is missing', async () => {
    expect((await why(RECORDED)).stdout).toBe(`This account is recorded, and not listed any more.

Account
  key             bbbb000000000003
  used in 24 h    not known (no_store)
  used in 7 days  not known (no_store)
`)
  })

  it('says of a full window no time, and of an unread one that its reset has passed', async () => {
    expect((await why('Ann')).stdout).toContain(`
  5h      100% left  its reset has passed, no reading shows it  never read
  Weekly  100% left  full                                       never read
`)
  })

  it('finds the accounts of every provider, and says what a vendor does not report or a model cannot do', async () => {
    const asked: string[] = []
    const eve = {
      ...item('dddd000000000005', 'Eve', 'eve.json'),
      provider: 'claude',
      quotaWindows: [{ id: '5h', label: '5h', state: 'unknown', percent: null, reported: false }],
      blockedModels: [
        {
          scope: 'premium',
          models: ['Opus', 'Fable'],
          until: instantToIso(NOW),
          reason: 'quota_exhausted_premium:week',
        },
        { scope: 'code', models: null, until: null, reason: 'quota_exhausted_code:month' },
      ],
    }
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(new URL(String(input)).search)
      const answer = await service(String(input).replace(eve.accountKey, ann.accountKey))
      return Response.json(Object.assign(Object(await answer.json()), { items: [eve] }))
    }
    const { stdout } = await why('Eve', { fetch })

    expect(asked[0]).toBe('?provider=all')
    expect(stdout).toContain('  5h  not reported by the vendor\n')
    expect(stdout).toContain(`
Blocked models
  Opus, Fable  until 12:00, in <1min  quota_exhausted_premium:week
  code         no known end           quota_exhausted_code:month
`)
  })

  it.each([
    {
      by: 'plan',
      blocked: 'operator_disabled',
      line: 'off since 11:00 because weekly quota used up until 13:00',
    },
    { by: 'a limit', blocked: 'cooldown', line: '' },
  ])('says of an account held back by $by: "$line"', async ({ blocked, line }) => {
    const cyd = {
      ...item('cccc000000000004', 'Cyd', 'cyd.json'),
      blocked: [{ slug: blocked, until: null, text: '' }],
    }
    const fetch: typeof globalThis.fetch = async (input) => {
      const answer = await service(String(input).replace(cyd.accountKey, ann.accountKey))
      return Response.json(Object.assign(Object(await answer.json()), { items: [cyd] }))
    }
    const { stdout } = await why('Cyd', { fetch, readTextFile: () => MEMORY })

    expect(stdout.split('\n')[3]).toBe(line)
  })

  it('says all the rest where the memory of plan is damaged', async () => {
    const { code, stdout, stderr } = await why('Ann', { readTextFile: () => '{' })

    expect([code, stdout]).toEqual([0, (await why('Ann')).stdout])
    expect(stderr).toMatch(/plan\.json, is damaged: [^\n]*\n$/)
  })

  it('sends nothing to the terminal that would move its cursor', async () => {
    expect((await why(bob.accountKey)).stdout).toMatch(/^Bob\\u\{1b\}\[2J\n/)
  })

  it.each([
    { env: {}, starts: '\u001b[1mAnn\u001b[0m\n\u001b[31mPlus · Auth invalid\u001b[0m\n' },
    { env: { NO_COLOR: '1' }, starts: 'Ann\nPlus · Auth invalid\n' },
  ])('on a terminal, with $env, it begins with $starts', async ({ env, starts }) => {
    const { stdout } = await why('ann', { stdoutIsTerminal: true, env })

    expect(stdout.startsWith(starts)).toBe(true)
  })
})
