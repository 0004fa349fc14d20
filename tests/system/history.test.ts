import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type EpochMs, plusMs } from '@svc/core'
import type { SourceId } from '@svc/core/service'
import { aFakeAccount, type FakeAccount } from '@svc/fake-proxy'
import type { Health, Recommendations, StatsSeries, StatsTab, StatusSnapshot } from '@svc/views'
import { parse } from 'csv-parse/sync'
import Papa from 'papaparse'
import { describe, expect, it, type TestContext } from 'vitest'
import { eventually } from '../../tooling/eventually.ts'
import { type ProxiedService, startService } from '../../tooling/service/start-service.ts'
import { acceleratedClock, paceOfBusyMachine } from '../../tooling/test-instant.ts'
import { contractErrors } from '../contract.ts'
import { ownStore } from './own-store.ts'

/** Service seconds in one real second. */
const FACTOR = paceOfBusyMachine(20)

/** Names as an enemy, or a careless client, would choose them. */
const HOSTILE = [
  'gpt-5.5',
  '=cmd()',
  '+1',
  '-2',
  '@x',
  'a,b',
  'say "hi"',
  "'quoted'",
  '</script>',
  '__proto__',
  'ユーザー😀',
]

const clock = acceleratedClock({ factor: FACTOR })

/** Starts the service on a store of its own for one test, and again. Tests run side by side, since they do little but wait. */
function onOwnStore(context: TestContext) {
  const { folder, path, use } = ownStore(context)
  const ownFlags = { 'state-db': path, 'history-write-seconds': '15' }
  return {
    folder,
    path,
    async service(
      accounts: readonly FakeAccount[],
      {
        usage = 'queue',
        flags = {},
      }: {
        readonly usage?: 'queue' | 'legacy' | 'none'
        readonly flags?: Readonly<Record<string, string>>
      } = {},
    ): Promise<ProxiedService> {
      return use(
        await startService({
          where: 'here',
          time: clock,
          accounts,
          flags: { ...ownFlags, ...flags },
          prepare: (fake) => {
            fake.settings.usage = usage
          },
        }),
      )
    },
    restarted: async (live: ProxiedService): Promise<ProxiedService> =>
      use(await live.restart(ownFlags)),
  }
}

const series = (live: ProxiedService, query = 'range=1h') =>
  live.json<StatsSeries>(`/api/v1/stats/series?${query}`)
const stats = (live: ProxiedService) => live.json<StatsTab>('/api/v1/stats')
const actionCodes = async (live: ProxiedService) =>
  (await live.json<Health>('/api/v1/health')).actions.map(({ code }) => code)
const sourceOf = async (live: ProxiedService, id: SourceId) =>
  (await live.json<Health>('/api/v1/health')).sources.find((source) => source.id === id)
const metric = async (live: ProxiedService, name: string) => {
  const text = await (await fetch(`${live.url}/metrics`)).text()
  return Number(
    new RegExp(`^svc_quota_monitor_${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(
      text,
    )?.[1] ?? Number.NaN,
  )
}
const stored = (live: ProxiedService, count: number) =>
  eventually(
    `${count} rows are stored`,
    async () => (await metric(live, 'usage_rows_ingested_total')) === count,
  )
/** The kept answer of a chart is at most five seconds of the service old. */
const shown = (live: ProxiedService, requests: number, query?: string) =>
  eventually(
    `a chart shows ${requests} requests`,
    async () => (await series(live, query)).totals.requests === requests,
  )
const lately = (seconds: number): EpochMs => plusMs(clock.now(), -seconds * 1000)
const record = (live: ProxiedService, account: FakeAccount, shape: object = {}) =>
  live.fake.usage.record({
    at: lately(5),
    source: account.email,
    authIndex: live.fake.authIndexOf(account),
    ...shape,
  })

describe.concurrent('usage from the queue', () => {
  it('is stored once, shown as JSON and CSV alike, and still there after a restart', async (context) => {
    const { restarted, service } = onOwnStore(context)
    const account = aFakeAccount({ name: 'ana' })
    const live = await service([account])
    for (let index = 0; index < 1_200; index += 1) {
      record(live, account, {
        at: lately(index % 40),
        apiKey: `key-${index % 3}`,
        model: HOSTILE[index % HOSTILE.length] ?? '',
      })
    }
    await stored(live, 1_200)
    await shown(live, 1_200)

    // A chart is kept for a few seconds, and may have come before the account list.
    await expect
      .poll(async () => {
        const byAccount = await series(live, 'range=6h&group=account')
        return byAccount.series.map(({ label, requests }) => [label, requests])
      })
      .toEqual([['ana@example.com', 1_200]])
    const status = await live.json<StatusSnapshot>('/api/v1/status')
    expect(contractErrors('/api/v1/status', status)).toEqual([])

    for (const group of ['total', 'account', 'client', 'model', 'api']) {
      const json = await series(live, `range=6h&group=${group}&top=20`)
      expect(contractErrors('/api/v1/stats/series', json)).toEqual([])
      expect(json.totals.requests).toBe(1_200)
      expectSameNumbers(await (await fetch(`${live.url}${json.export.csvPath}`)).text(), json)
    }

    const again = await restarted(live)
    await shown(again, 1_200, 'range=6h')
    await eventually('the history is read', async () => (await stats(again)).history.available)
    const tab = await stats(again)
    expect(contractErrors('/api/v1/stats', tab)).toEqual([])
    expect(tab.history).toMatchObject({
      enabled: true,
      available: true,
      rows: 1_200,
      duplicates: 0,
      retentionDays: 90,
    })
    expect(tab.backup.available).toBe(true)
  })

  it('calls accounts of one address everywhere as the ranking does, each with its provider', async (context) => {
    const { service } = onOwnStore(context)
    const accounts = [
      aFakeAccount({ name: 'ana' }),
      aFakeAccount({ name: 'ana', fileName: 'codex-ana-pro.json', accountId: '2', plan: 'pro' }),
      aFakeAccount({ name: 'ana', provider: 'claude', plan: 'max_5x' }),
    ]
    const live = await service(accounts)
    for (const account of accounts) record(live, account, { provider: account.provider })
    await stored(live, 3)
    const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(String).sort()
    const named = async () => {
      const path = '/api/v1/recommendations?provider=all'
      const { items } = await live.json<Recommendations>(path)
      return sorted(items.map(({ accountKey, title, provider }) => [accountKey, title, provider]))
    }
    type Member = {
      readonly id: string
      readonly label: string
      readonly provider?: string | undefined
    }
    const members = (rows: readonly Member[]) =>
      sorted(rows.map(({ id, label, provider }) => [id, label, provider]))
    const byAccount = () => series(live, 'range=1h&group=account')
    // The plan of the login at Claude comes with its profile.
    await eventually('all agree', async () => {
      const names = await named()
      const titles = new Set(names.map((name) => name.split(',')[1]))
      if (titles.size !== 3 || !titles.has('ana@example.com · Max 5x')) return false
      const chart = await byAccount()
      const { tabs } = await live.json<StatusSnapshot>('/api/v1/status')
      const shown = [chart.series, chart.breakdown.items, tabs.usage.byAccount.items].map(members)
      return shown.every((some) => `${some}` === `${names}`)
    })

    const names = await named()
    const rows = await (await fetch(`${live.url}/api/v1/usage/rows?range=1h&format=jsonl`)).text()
    const downloaded = rows
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(
      sorted(downloaded.map((row) => [row.accountKey, row.accountTitle, row.provider])),
    ).toEqual(names)
    const csv = await (await fetch(`${live.url}${(await byAccount()).export.csvPath}`)).text()
    for (const name of names) expect(csv).toContain(name.split(',')[1])
  })

  it('an answer that is lost on its way is counted as a gap, and the next one is clean', async (context) => {
    const { service } = onOwnStore(context)
    const account = aFakeAccount({ name: 'ana' })
    const live = await service([account])
    record(live, account)
    await stored(live, 1)
    live.fake.failNext('usage-queue', { kind: 'reset' })
    await eventually(
      'the gap is counted',
      async () => (await metric(live, 'usage_gap_seconds_total')) > 0,
    )
    record(live, account)
    await stored(live, 2)
    await eventually('the history says so among the sources', async () =>
      /usage may be missing/.test((await sourceOf(live, 'history'))?.detail ?? ''),
    )
    expect(await actionCodes(live)).not.toContain('usage_missed')
    expect((await stats(live)).history.coveragePercent).toBeLessThan(100)
  })

  it('is not taken while it cannot be stored', async (context) => {
    const { path, service } = onOwnStore(context)
    const account = aFakeAccount({ name: 'ana' })
    writeFileSync(path, 'this is not a database at all, and never was one'.repeat(40))
    const live = await service([account])
    record(live, account)
    await eventually('the failure is told', async () =>
      (await actionCodes(live)).includes('history_failing'),
    )
    expect(live.fake.usage.waitingCount()).toBe(1)
    expect((await live.json<Recommendations>('/api/v1/recommendations')).items).toHaveLength(1)
    expect((await series(live)).available).toBe(false)
    expect(readFileSync(path, 'utf8')).toContain('never was one')

    rmSync(path)
    await stored(live, 1)
    await eventually(
      'the failure is over',
      async () => !(await actionCodes(live)).includes('history_failing'),
    )
  })
})

describe.concurrent('usage from the legacy tree', () => {
  it('is stored once, however often the tree is read, and survives a restart of either side', async (context) => {
    const { restarted, service } = onOwnStore(context)
    const account = aFakeAccount({ name: 'ana' })
    const live = await service([account], { usage: 'legacy' })
    for (let index = 0; index < 30; index += 1) record(live, account, { at: lately(30) })
    await stored(live, 30)
    await eventually('it was read again', () => live.fake.stats.requestsByRoute.usage >= 4)
    expect(await metric(live, 'usage_rows_ingested_total')).toBe(30)
    await eventually('the totals of the tree are shown', async () => {
      const { cumulative } = await live.json<StatsTab>('/api/v1/stats')
      return (
        cumulative.requests === 30 &&
        (cumulative.tokens ?? 0) > 0 &&
        cumulative.source === 'Usage statistics of the proxy'
      )
    })

    const again = await restarted(live)
    record(again, account)
    await stored(again, 1)
    expect(await metric(again, 'usage_rows_duplicate_total')).toBe(30)
    expect(await metric(again, 'usage_gap_seconds_total')).toBe(0)

    again.fake.restart()
    await new Promise((resolve) => setTimeout(resolve, 40_000 / FACTOR))
    record(again, account, { at: clock.now() })
    await stored(again, 2)
    expect(await metric(again, 'usage_gap_seconds_total')).toBeGreaterThan(0)
    await shown(again, 32)
  })

  it('is found again after the proxy was replaced by one with a queue, and back', async (context) => {
    const { service } = onOwnStore(context)
    const account = aFakeAccount({ name: 'ana' })
    const live = await service([account], { usage: 'legacy' })
    record(live, account)
    await stored(live, 1)
    live.fake.settings.usage = 'queue'
    await eventually('the queue is read', () => live.fake.usage.waitingCount() === 0)
  })
})

describe.concurrent('labels of clients', () => {
  const groups = async (live: ProxiedService) =>
    (await series(live, 'range=1h&group=client')).series.map(({ label }) => label).sort()

  it('are shown, shared, reloaded, and never lost to a bad file', async (context) => {
    const { folder, service } = onOwnStore(context)
    const file = join(folder, 'labels.json')
    const write = (content: unknown) =>
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    write({
      clients: [
        { apiName: 'key-a', label: 'Team' },
        { api_name: 'key-b', label: 'Team' },
      ],
    })
    const account = aFakeAccount({ name: 'ana' })
    const live = await service([account], { flags: { 'client-labels-file': file } })
    for (const apiKey of ['key-a', 'key-b', 'key-c']) record(live, account, { apiKey })
    await stored(live, 3)
    await shown(live, 3, 'range=1h&group=client')
    const [team, fingerprint] = await groups(live)
    expect(team).toBe('Team')
    expect(fingerprint).toMatch(/^client-[0-9a-f]{8}$/)

    write({ clients: [{ apiName: 'key-c', label: '=HYPERLINK("x")' }] })
    await eventually('the new labels show', async () =>
      (await groups(live)).includes('=HYPERLINK("x")'),
    )
    const csv = await (
      await fetch(`${live.url}/api/v1/stats/series?range=1h&group=client&format=csv`)
    ).text()
    expect(csv).toContain(`"'=HYPERLINK(""x"")"`)

    for (const bad of [
      '{',
      '[]',
      { clients: [{ label: 'x' }] },
      { clients: [{ apiName: 'a', api_name: 'b', label: 'x' }] },
      { clients: [{ apiName: 'a', label: '' }] },
    ]) {
      write(bad)
      await eventually(
        'the source tells',
        async () => (await sourceOf(live, 'client_labels'))?.tone === 'warn',
      )
      expect(await groups(live)).toContain('=HYPERLINK("x")')
      write({ clients: [{ apiName: 'key-c', label: '=HYPERLINK("x")' }] })
      await eventually(
        'the source recovers',
        async () => (await sourceOf(live, 'client_labels'))?.tone === 'good',
      )
    }
    expect(live.output()).not.toContain('key-a')
  })
})

const changes = async (of: ProxiedService) =>
  (await of.json<Health>('/api/v1/health')).recentChanges.map(({ code, title }) =>
    code === 'status_changed' ? `${title} ${code}` : code,
  )

describe.concurrent('what was', () => {
  it('changes survive a restart, and a new store says that it has begun', async (context) => {
    const { restarted, service } = onOwnStore(context)
    const accounts = [aFakeAccount({ name: 'ana' }), aFakeAccount({ name: 'bob' })]
    const live = await service(accounts)
    await eventually('the beginning shows', async () =>
      (await changes(live)).includes('history_started'),
    )
    const [, bob] = accounts
    if (bob !== undefined) live.fake.disable(bob)
    await eventually('the change shows', async () =>
      (await changes(live)).includes('bob@example.com status_changed'),
    )
    await new Promise((resolve) => setTimeout(resolve, 40_000 / FACTOR))

    const again = await restarted(live)
    await eventually('it shows again', async () => {
      const shownNow = await changes(again)
      return (
        shownNow.includes('bob@example.com status_changed') && shownNow.includes('history_started')
      )
    })
    const all = await changes(again)
    expect(all.filter((change) => change === 'bob@example.com status_changed')).toHaveLength(1)
    expect(all.filter((change) => change === 'account_added')).toEqual([])
  })

  it('a proxy that counts anew is noted, and its counters never go down', async (context) => {
    const { service } = onOwnStore(context)
    const account = aFakeAccount({ name: 'ana' })
    const live = await service([account])
    live.fake.traffic(account, { success: 20 })
    await eventually('they are counted', async () => (await stats(live)).cumulative.requests === 20)
    // Before that nothing is compared.
    await eventually('the past is known', async () =>
      (await changes(live)).includes('history_started'),
    )
    live.fake.restart()
    live.fake.traffic(account, { success: 3 })
    await eventually('they go on', async () => (await stats(live)).cumulative.requests === 23)
    const { recentChanges } = await live.json<Health>('/api/v1/health')
    expect(recentChanges.filter(({ code }) => code === 'proxy_restarted')).toHaveLength(1)
  })
})

/** What two parsers make of the CSV is what the JSON says, bucket by bucket; no cell is a formula. */
function expectSameNumbers(csv: string, json: StatsSeries): void {
  const [header, ...rows] = parse(csv, {
    recordDelimiter: '\r\n',
  }) as unknown as readonly (readonly string[])[]
  expect(Papa.parse(csv, { newline: '\r\n', skipEmptyLines: true }).data).toEqual([header, ...rows])
  expect(header?.join()).toBe(
    'timestamp,series_id,series_label,requests,tokens,failed,request_text,token_text,failure_rate',
  )
  const points = json.series.flatMap((line) => line.points.map((point) => ({ line, point })))
  expect(rows).toHaveLength(points.length)
  for (const [index, { line, point }] of points.entries()) {
    const [timestamp, id = '', label = '', requests, tokens, failed, requestText, tokenText, rate] =
      rows[index] ?? []
    expect([timestamp, requests, tokens, failed, requestText, tokenText]).toEqual([
      point.t,
      String(point.requests),
      String(point.tokens),
      String(point.failed),
      point.requestText,
      point.tokenText,
    ])
    expect(rate).toBe(point.requests === 0 ? '' : (point.failed / point.requests).toFixed(4))
    for (const [cell, value] of [
      [id, line.id],
      [label, line.label],
    ] as const) {
      expect(cell).not.toMatch(/^[=+\-@\t\r]/)
      expect([value, `'${value}`]).toContain(cell)
    }
  }
}
